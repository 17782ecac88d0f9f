/** @file Names that Python gives to every program. */

const BUILTINS = new Set(
  (
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile " +
    "complex delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr " +
    "globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max " +
    "memoryview min next object oct open ord pow print property quit range repr reversed round set " +
    "setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis NotImplemented " +
    "__name__ __file__ __doc__ __builtins__ __debug__ __import__ __package__ __spec__ __loader__ " +
    "__class__"
  ).split(" "),
);

export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name) || ERRORS.has(name);
}

const ERRORS = new Set(
  (
    "BaseException BaseExceptionGroup Exception ExceptionGroup ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError " +
    "BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError " +
    "ConnectionResetError DeprecationWarning EOFError EnvironmentError FileExistsError " +
    "FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError " +
    "ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError " +
    "KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError " +
    "NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError " +
    "ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning " +
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError " +
    "TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError " +
    "UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError"
  ).split(" "),
);
