"""J: what is stated of each request in a phase, and asked of it by a function of the language."""

from __future__ import annotations

from tests.attacks.models import indented

RECORDS = """
@record
class Req:
    phase: Annotated[int, Range(0, 2)]
    n: Small


"""
STATE = """
@record
class State:
    x: Small
    requests: Annotated[Vector[Req], Per("two")]


"""
STARTS = """
def init(scope):
    return State(0, Vector([Req(0, 0), Req(0, 0)]))


"""
STEPS = """
@action()
def act(s, scope):
    guard(s.x < 5)
    s.x += 1
    s.requests[s.x % 2].phase = min(s.x, 2)
    s.requests[s.x % 2].n = s.x


"""
REQUESTS = RECORDS + STATE + STARTS + STEPS


def each(body, phases="2", parameters="s, scope, number, request", of="always", before="", model=REQUESTS):
    """A property of each request, whose lines are given."""
    return f"{model}{before}\n@{of}(each={phases})\ndef p({parameters}):\n{indented(body)}"


ATTACKS = {
    "an end without a value": each("if request.n > 3:\n    return False"),
    "an end without a value that is true": each("if request.n < 4:\n    return True"),
    "a record for an answer": each("return request"),
    "a vector for an answer": each("return s.requests"),
    "values of two kinds": each("return request if request.n < 4 else False"),
    "too few parameters": each("return request.n < 4", parameters="s, scope, request"),
    "too many parameters": each("return request.n < 4", parameters="s, scope, number, request, more"),
    "a parameter with a default": each("return request.n < 4", parameters="s, scope, number, request=None"),
    "parameters of a state": each("return s.x < 4", parameters="s, scope"),
    "a lambda": REQUESTS + "p = always(each=2)(lambda s, scope, number, request: request.n < 4)\n",
    "a partial function": REQUESTS
    + "def q(by, s, scope, number, request):\n    return request.n < by\n\n\np = always(each=2)(functools.partial(q, 4))\n",
    "a generator": each("yield request.n < 4"),
    "no phase": each("return request.n < 4", "()"),
    "a phase that is none": each("return request.n < 4", "7"),
    "a phase that is none beside one": each("return request.n < 4", "(2, 7)"),
    "a text for a phase": each("return request.n < 4", "'2'"),
    "a float for a phase": each("return request.n < 4", "2.0"),
    "a truth for a phase": each("return request.n < 4", "True"),
    "a list of phases": each("return request.n < 4", "[1, 2]"),
    "a range of phases": each("return request.n < 4", "range(1, 3)"),
    "a function for phases": each("return request.n < 4", "lambda scope: 2"),
    "each without anything": each("return request.n < 4", "None"),
    "each of a step": each("return request.n < 4", of="step"),
    "each by position": REQUESTS + "@always(2)\ndef p(s, scope, number, request):\n    return request.n < 4\n",
    "no requests": each("return request.n < 4", model=""),
    "requests that are one": each(
        "return request.n < 4", model=RECORDS + STATE.replace("Annotated[Vector[Req], Per('two')]", "Req") + STARTS
    ),
    "requests without a phase": each("return request.n < 4", model=REQUESTS.replace("phase", "stage")),
    "numbers for requests": each(
        "return request < 4",
        model=STATE.replace("Vector[Req]", "Vector[Small]") + STARTS.replace("Req(0, 0)", "0"),
    ),
    "a record for a phase": each(
        "return request.n < 4",
        model=RECORDS.replace("class Req", "class Phase")
        + "@record\nclass Req:\n    phase: Phase\n    n: Small\n\n\n"
        + STATE
        + STARTS.replace("Req(0, 0)", "Req(Phase(0, 0), 0)"),
    ),
    "a guard": each("guard(request.n < 4)\nreturn True"),
    "a require": each("require(request.n < 4, 'q')\nreturn True"),
    "a print": each("print(request.n)\nreturn request.n < 4"),
    "a name that is not there": each("return nothing < 4"),
    "a name that is not there where it matters": each("return request.n < 4 or nothing"),
    "a loop without a number of rounds": each("while request.n > 3:\n    return False\nreturn True"),
    "a recursion": each("return p.written(s, scope, number, request)"),
    "the request changed": each("request.n = 0\nreturn s.requests[number].n < 4"),
    "the number changed": each("number = 0\nreturn s.requests[number].n < 4"),
    "another request changed": each("s.requests[1].n = 5\nreturn request.n < 5", "(0, 1, 2)"),
    "the phase changed": each("s.requests[1].phase = 0\nreturn request.n < 4", "(0, 1, 2)"),
    "the name stolen": each("return request.n < 4", before="def all(values):\n    return True\n\n\n"),
    "a function around it": REQUESTS
    + "def made(most):\n    @always(each=2)\n    def p(s, scope, number, request):\n        return request.n < most\n    return p\n\n\np = made(4)\n",
    "a decorator below": each("return request.n < 4").replace(
        "def p(", "@(lambda f: lambda s, scope, number, request: f(s, scope, number, request))\ndef p("
    ),
    "a wrapper below": each(
        "return request.n < 4",
        before="def twice(f):\n    @functools.wraps(f)\n    def g(s, scope, number, request):\n        return f(s, scope, number, request) or request.n > 4\n    return g\n\n\n",
    ).replace("def p(", "@twice\ndef p("),
    "twice of each": REQUESTS
    + "def q(s, scope, number, request):\n    return request.n < 4\n\n\np = always(each=2)(always(each=2)(q).written)\n",
    "a property called": each(
        "return q(s, scope)",
        before="@always(each=1)\ndef q(s, scope, number, request):\n    return request.n < 4\n\n\n",
    ),
    "two of one name": each("return request.n < 4") + "\n\nq = p\n",
}

LEGAL = {
    "one phase": each("return request.n < 4"),
    "one phase of another": each("return request.n != 2", "1"),
    "two phases": each("return request.n < 4 or number == 0", "(1, 2)"),
    "the first phase": each("return s.x < 4", "0"),
    "a phase that is not come to at a time": each("return request.n != 1", "1"),
    "what holds": each("return request.n > 1 and request.phase == 2"),
    "an index outside": each("return s.requests[request.n].n < 9"),
    "the number": each("return number == 1 or request.n < 4"),
    "other names": each("return one.n < 4 or which == 1", parameters="state, c, which, one"),
    "a loop inside": each(
        "for other in s.requests:\n    if other.n > request.n + 2:\n        return False\nreturn True"
    ),
    "a number for an answer": each("return 4 - request.n"),
    "in a scope": each("return request.n < 4", "2").replace("each=2", "lambda scope: scope.high > 4, each=2"),
    "in another scope": each("return request.n < 4").replace("each=2", "lambda scope: scope.high > 9, each=2")
    + "\n\n@always()\ndef q(s, scope):\n    return s.x < 9\n",
    "a lemma beside a claim": each("return request.n < 4", of="lemma")
    + "\n\n@always()\ndef q(s, scope):\n    return s.x < 9\n",
    "a name for the phases": each("return request.n < 4", "SOME", before="SOME = (1, 2)\n\n\n"),
}
