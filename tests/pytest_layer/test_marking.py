from __future__ import annotations

from pytest_layer.projects import Project


def test_decorator_and_marker_give_the_same_contract(project: Project) -> None:
    project.tests(
        """
        fields = dict(shapes={"x": "B 8"}, dims={"B": [2, 3]}, max_graph_breaks=1, max_recompiles=1)

        @compile_contract(**fields)
        def test_decorated(x):
            return x.relu()

        @pytest.mark.compile_contract(**fields)
        def test_marked(x):
            return x.relu()
        """
    )
    decorated, marked = project.report(outcomes={"passed": 2})["contracts"]
    assert decorated["contract"] == marked["contract"]
    assert marked["contract"]["max_recompiles"] == 1
    assert [entry["sizes"] for entry in marked["observed"]["timeline"]] == [
        {"x": [2, 8]},
        {"x": [3, 8]},
        {"x": [2, 8]},
        {"x": [3, 8]},
    ]
