"""The loop that lets a command of the user's improve a skill, and says by tasks it never saw what that was worth.

After CoEvoSkills (arXiv 2604.01687, algorithm 1): assertions of ours, the surrogate, say in detail why work failed; the
suite's own graders, the oracle, give one bit. The surrogate becomes harder only where it is content and the oracle is
not.
"""
