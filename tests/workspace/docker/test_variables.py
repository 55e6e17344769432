from __future__ import annotations

from skillgrade.workspace.docker.variables import agent_variables, grader_variables, own_variables

IMAGE = {
    "PATH": "/home/agent/bin:/opt/tool/bin:bin::/usr/bin",
    "LD_LIBRARY_PATH": "/opt/tool/lib:/workspace/lib",
    "NODE_OPTIONS": "--max-old-space-size=100",
    "BASH_ENV": "/home/agent/env",
    "KEPT": "/home/agent",
}


def test_skillgrades_own_processes_follow_no_variable_of_the_image() -> None:
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    assert own_variables(IMAGE) == {"PATH": path, "LD_LIBRARY_PATH": "", "NODE_OPTIONS": "", "BASH_ENV": ""}
    assert own_variables({}) == {"PATH": path}


def test_the_agent_gets_what_the_image_meant_for_it() -> None:
    assert agent_variables(IMAGE).items() >= {(name, value) for name, value in IMAGE.items() if name != "KEPT"}
    assert agent_variables({})["PATH"] == "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert (agent_variables({"LANG": "de"})["LANG"], agent_variables({})["LANG"]) == ("de", "C.UTF-8")


def test_graders_get_it_without_what_lies_in_the_agents_folders() -> None:
    assert grader_variables(IMAGE) == {
        "PATH": "/opt/tool/bin:/usr/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "LD_LIBRARY_PATH": "/opt/tool/lib",
        "NODE_OPTIONS": "--max-old-space-size=100",
    }
    assert grader_variables({"PATH": "/tmp/bin"})["PATH"].startswith("/usr/local/sbin:")
