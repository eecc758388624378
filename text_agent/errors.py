"""Errors, by whom they are for.

    TextAgentError                   the user: one sentence, an optional hint, an exit code
    ├── ConfigError             (2)  a missing key, a bad flag, an unknown provider
    ├── WorkspaceNotFoundError  (2)
    ├── SessionError            (2)  a saved session that is not there, or cannot be used
    └── ProviderError           (1)  the endpoint, or the way to it
        ├── AuthenticationError      401, 403
        ├── RateLimitError           429
        ├── OverloadedError          500, 502, 503, 504, 529
        │   └── ModelLoadingError    a model that is being loaded
        ├── ConnectionFailedError    no connection, or one that broke off
        ├── ProviderTimeoutError
        ├── RequestRejectedError     any other 4xx
        │   ├── ModelMissingError
        │   └── ContextWindowExceededError
        └── InvalidResponseError     an answer that is not of the documented shape
    ToolError                        the model: becomes a tool result
    ├── ArgumentError
    ├── PathOutsideWorkspaceError
    └── EditMismatchError

Anything else is for the developer and propagates with its traceback.
"""


class TextAgentError(Exception):
    """What stops the program or the turn, told to the user in one sentence.

    Attributes:
        hint: what the user can do about it; a second line, or empty.
        exit_code: the process's exit code if nothing handles the error.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(TextAgentError):
    """A flag, a setting or a file of settings is wrong or missing."""

    exit_code = 2


class WorkspaceNotFoundError(TextAgentError):
    """The folder to work in does not exist or is not a folder."""

    exit_code = 2


class SessionError(TextAgentError):
    """A saved session does not exist, is in use, or cannot be read."""

    exit_code = 2


class ProviderError(TextAgentError):
    """The endpoint did not give a reply.

    Attributes:
        retryable: whether the same request may succeed later.
        status: the HTTP status, or what an error in a reply's place stands for; None without an answer.
        body: the answer as it came; it is not for showing, for it may repeat a key.
        wait_seconds: how long the endpoint asks to wait; None if it does not say.
        nothing_here: no API is served at the URL that was tried.
    """

    retryable = False
    status: int | None = None
    body = ""
    wait_seconds: float | None = None
    nothing_here = False


class AuthenticationError(ProviderError):
    """The endpoint refused the key (401, 403)."""


class RateLimitError(ProviderError):
    """The endpoint asks to slow down (429)."""

    retryable = True


class OverloadedError(ProviderError):
    """The endpoint failed on its own side (5xx, 529)."""

    retryable = True


class ModelLoadingError(OverloadedError):
    """The endpoint is loading the model, which takes minutes."""


class ConnectionFailedError(ProviderError):
    """No connection to the endpoint, or one that broke off before the reply's end."""

    retryable = True


class ProviderTimeoutError(ProviderError):
    """The endpoint did not answer in time."""

    retryable = True


class RequestRejectedError(ProviderError):
    """The endpoint refused the request as it was (a 4xx other than 401, 403, 429)."""


class ModelMissingError(RequestRejectedError):
    """The endpoint has no model of that name."""


class ContextWindowExceededError(RequestRejectedError):
    """The request holds more tokens than the model takes.

    Attributes:
        limit_tokens: how many it takes, if the endpoint says so.
    """

    limit_tokens: int | None = None


class InvalidResponseError(ProviderError):
    """The answer has not the documented shape."""

    retryable = True


class ToolError(Exception):
    """A tool could not do what was asked; its text is the tool result that the model reads.

    The text says what was wrong, what is true now, and what to do next.
    """


class ArgumentError(ToolError):
    """The arguments of a call do not fit the tool's parameters; the text tells the model how they do.

    >>> str(ArgumentError("the argument 'name' is missing"))
    "the argument 'name' is missing"
    """


class PathOutsideWorkspaceError(ToolError):
    """A path leads out of the workspace."""


class EditMismatchError(ToolError):
    """The text to replace is not in the file exactly once."""
