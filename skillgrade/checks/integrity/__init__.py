"""Can the scenarios of a skill be gamed? Rules on what is asked, how it is graded, and what the skill gives away."""
