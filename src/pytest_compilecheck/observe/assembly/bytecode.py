"""What a code object can do at all, from its bytecode."""

from __future__ import annotations

import dis
from types import CodeType

_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
_UNCONDITIONAL = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE")
_WORK = ("CALL", "BINARY", "UNARY", "COMPARE", "INPLACE", "FOR_ITER", "GET_ITER", "STORE_SUBSCR")


def does_work(code: CodeType) -> bool:
    """Whether something is called or computed in the part that can be reached from the start.

    A resume function jumps from its start to where the original function goes on; what stands
    before that place is in its bytecode too.
    """
    instructions = {instruction.offset: instruction for instruction in dis.get_instructions(code)}
    following = dict(zip(instructions, [*list(instructions)[1:], None], strict=True))
    waiting: list[int | None] = [next(iter(instructions), None)]
    seen: set[int] = set()
    while waiting:
        offset = waiting.pop()
        if offset is None or offset in seen:
            continue
        seen.add(offset)
        instruction = instructions[offset]
        if instruction.opname.startswith(_WORK):
            return True
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            waiting.append(instruction.argval)
        if not instruction.opname.startswith((*_ENDS, *_UNCONDITIONAL)):
            waiting.append(following[offset])
    return False
