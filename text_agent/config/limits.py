"""Every limit and default number, with its reason: one that the user or the model meets stands here."""

from __future__ import annotations

# Model requests a turn: enough for read, edit and check of several files; a loop ends soon.
MAX_STEPS = 25
# Tokens of one reply; always sent, because servers' own defaults range from 16 tokens to endless.
MAX_TOKENS = 4096
# Corrections of malformed calls in a row, after which the turn stops: a fourth never helped.
MAX_CORRECTIONS = 3
# Replies of a turn that a small model may begin with as drafts: one, and two to mend what came of it.
MAX_DRAFTS = 3
# Times in a turn that a small model is told which of the project's tests fail: where the user asks for a
# repair, and where he does not, so that they may have failed before.
MAX_TEST_REPORTS = 3
MAX_UNASKED_TEST_REPORTS = 1
# Seconds that a command gets which a small model's request names, before the model is asked; and characters
# of the end of its output that the model sees: about 500 tokens, a traceback and the summary of the tests.
EVIDENCE_SECONDS = 30
EVIDENCE_MAX_CHARS = 1_800
# Times that a call may give the same result within a turn; the next one is not run.
MAX_REPEATS = 2
# Calls refused as repeated, or run in vain once more, without anything new in between, after which the turn
# stops: the model does not find out of its circle.
MAX_REPEATED_REFUSALS = 2
# When the end of a reply is a repetition without end, and is stopped: so many times the same, over so many
# characters. Less is what people ask for: a table of a hundred equal rows, a page of twelve equal cards. Data
# may be longer; it has fewer different letters than any phrase: rows of zeros, maps of dots, lines of dashes.
REPEATED_LEAST_TIMES = 20
REPEATED_LEAST_CHARS = 6_000
REPEATED_DATA_CHARS = 10_000
REPEATED_WORD_LETTERS = 3
# Characters that count as a repetition in a reply that ran into its limit, and was not about to end.
REPEATED_CUT_CHARS = 1_500
# Characters of the longest text whose repetition is noticed: twenty of a longer one are as long as a reply.
REPEATED_MAX_PERIOD = 1_000
# The same for texts that differ in their numbers only, such as functions `f1`, `f2` and so on: hundreds of
# rows of test data are asked for now and then, and lists of short lines with a number more often.
COUNTED_LEAST_TIMES = 300
COUNTED_LEAST_CHARS = 10_000
COUNTED_LEAST_PERIOD = 20
# The same for calls that differ in numbers alone, on the same few files: nobody writes so many of them.
COUNTED_CALL_TIMES = 20
COUNTED_CALL_CHARS = 3_000
# Replies of a turn that are stopped so; then the turn stops, for the model does not find out of it.
MAX_REPETITIONS = 2
# Characters of one tool result: about 4,000 tokens, a quarter of a 16k context.
RESULT_MAX_CHARS = 16_000
# In a small context so many characters for each token beside the instructions and a short reply, about two
# fifths of that room: the result of before fits beside the newest, and some words of the model's. And the
# least of it: less shows nothing.
RESULT_CHARS_PER_TOKEN = 1.2
INSTRUCTION_TOKENS = 2_000
LEAST_RESULT_CHARS = 1_000
# Lines that `read_file` shows at once, and characters of one line before it is clipped.
READ_MAX_LINES = 500
LINE_MAX_CHARS = 500
# Lines that the result or the error of an edit shows.
EXCERPT_MAX_LINES = 30
# Entries that `list_files` shows at once.
LIST_MAX_ENTRIES = 200
# Characters of the texts, and of the list, of a project that a model is shown before its first reply: about
# 2,000 tokens, an eighth of a 16k context; half a result in a small one. And the files whose texts it sees.
PROJECT_VIEW_MAX_CHARS = 8_000
PROJECT_VIEW_MAX_FILES = 30
# Characters of the places of a larger project that a small model is shown, and of the list of further ones,
# and how many that lists: about 2,300 tokens, so that a small machine has read the prompt in half a minute.
PLACES_MAX_CHARS = 6_000
OUTLINE_MAX_CHARS = 800
OUTLINE_MAX_PLACES = 12
# Characters of the lines in which a word of the request stands: enough for about twenty.
MENTION_MAX_CHARS = 1_500
# Bytes of a file that is edited or written at once; larger ones are generated, not written by hand.
EDIT_MAX_BYTES = 10_000_000
# Matches that `search` shows: who gets more needs a narrower pattern.
SEARCH_MAX_MATCHES = 100
# Characters of a matching line that `search` shows, around the match.
SEARCH_LINE_CHARS = 200
# Seconds that a listing or a search may take; 50,000 files take one.
SEARCH_TIMEOUT_SECONDS = 60.0
# Bytes of one file, and of all files of a session, that are kept to be brought back after a command;
# larger ones are data or products, and would fill the disk.
CHECKPOINT_MAX_FILE_BYTES = 10_000_000
CHECKPOINT_MAX_BYTES = 1_000_000_000
# Files that are kept for the first time, from which on the user is told what takes so long.
CHECKPOINT_ANNOUNCED_FILES = 5_000
# Files of a workspace whose changes by commands can be taken back; a tree of more is no project.
CHECKPOINT_MAX_FILES = 200_000
# Seconds that listing them may take; a command should not wait longer.
CHECKPOINT_LISTING_SECONDS = 10.0
# Bytes of both versions of a file that are compared line by line; more takes seconds.
DIFF_MAX_BYTES = 1_000_000
# Days after which the former states of files are given up: by then they are in nobody's mind.
CHECKPOINT_STORE_DAYS = 30
# Seconds that a command gets if the model says nothing, and the most that it may ask for.
COMMAND_SECONDS = 60
COMMAND_MAX_SECONDS = 600
# Seconds between asking a command to end and killing it: enough to take locks and temporary files away.
COMMAND_GRACE_SECONDS = 2.0
# Seconds after which killing is given up: what still runs then waits for a disk, or is another user's.
COMMAND_KILL_SECONDS = 10.0
# Seconds that what a finished command left running has to end by itself, such as `tee` with the last lines.
COMMAND_SETTLE_SECONDS = 0.5
# Bytes of a command's output that are kept from its beginning, and from its end if it is longer: enough
# for the log of any build; an endless one costs no more memory.
COMMAND_HEAD_BYTES = 4_000_000
COMMAND_TAIL_BYTES = 250_000
# Bytes of the file with the user's former lines: years of them, and read at every start.
HISTORY_MAX_BYTES = 1_000_000
# Seconds that a command of the user's own may take; Ctrl-C ends it sooner.
USER_COMMAND_SECONDS = 3600
# Characters of what one message attaches, all files together: about 8,000 tokens, half of a 16k context.
ATTACHED_MAX_CHARS = 32_000
# Characters of the project's notes in the system prompt: about 2,000 tokens, an eighth of a 16k context.
NOTES_MAX_CHARS = 8_000
# Seconds after the first prompt, from which on the rest of the program is imported: it has been drawn then.
WARM_UP_DELAY_SECONDS = 0.2
# Steps of a plan: a longer one is not followed.
PLAN_MAX_STEPS = 30
# Seconds to reach an endpoint; one that takes longer is not there.
CONNECT_TIMEOUT_SECONDS = 10.0
# Seconds without a byte of a reply; a local model loads and reads a long prompt for minutes.
IDLE_TIMEOUT_SECONDS = 600.0
# Seconds for the list of an endpoint's models, which needs no model to think.
LIST_TIMEOUT_SECONDS = 30.0
# Seconds for the size of a model's context, which is not worth a longer wait.
QUESTION_TIMEOUT_SECONDS = 3.0
# Seconds for all servers on this machine that may be there, when none is configured.
DISCOVERY_SECONDS = 0.3
# Weights up to which a model gets the help for small models: with it a model of 1.5 billion solves more than
# twice as many tasks (bench/RESULTS.md). The models that are sold as 4B have up to 4.4 billion.
SMALL_MODEL_MAX_PARAMETERS = 4_500_000_000
# Seconds for a whole reply: nobody waits longer, and a stream of signs of life alone would never end.
TOTAL_TIMEOUT_SECONDS = 7200.0
# Bytes of one reply, and of each object that comes in its place: an event of a stream, an answer that is not
# streamed, a refusal, a list of models. Five times the longest reply of any model; read as JSON, the worst of
# it takes 200 MB of memory.
REPLY_MAX_BYTES = 8_000_000
# Bytes of a whole answer: of the longest reply with an object for each token, and signs of life for hours.
ANSWER_MAX_BYTES = 128_000_000
# Seconds for the end of an answer after its reply: then the connection is free for the next request.
LAST_BYTES_SECONDS = 0.25
# Seconds that an unused connection is kept: servers close theirs after five, and may be slow to say so.
KEPT_CONNECTION_SECONDS = 2.0
# Times that a request is sent again: after an error status that may pass (429, 5xx and others); after a
# connection that failed or broke; after an answer that made no sense, or a silence of ten minutes.
REQUEST_RETRIES = 4
CONNECTION_RETRIES = 2
SILENCE_RETRIES = 1
# Seconds before the first of these, and at most; each wait is twice the one before, less a part by chance.
RETRY_FIRST_SECONDS = 1.0
RETRY_MAX_SECONDS = 30.0
# Seconds that an endpoint may ask to wait before the next try; after longer ones the user is told instead.
RETRY_AFTER_MAX_SECONDS = 60.0
# Seconds that many tasks wait together where an endpoint asks one of them to: rates are counted by the hour.
SHARED_WAIT_MAX_SECONDS = 3600.0
# Seconds of such a wait that make sense: no endpoint asks to come back after more than a day.
RETRY_AFTER_SENSE_SECONDS = 86_400.0
# Times that a request is sent again while a model is being loaded, and the seconds between them at most: ten
# minutes in all, in which the largest is read from a slow disk.
LOADING_RETRIES = 45
LOADING_RETRY_MAX_SECONDS = 15.0
# What `doctor` allows: tokens of a reply to one of its prompts, and of one by a model that thinks first;
# seconds for one reply, and from which on no further prompt is sent; seconds to a first word that is slow.
PROBE_TOKENS = 100
THINKING_PROBE_TOKENS = 1024
PROBE_TIMEOUT_SECONDS = 120.0
DOCTOR_SECONDS = 300.0
SLOW_SECONDS = 20.0
# Tokens of context below which `doctor` warns: the system prompt and one long result fill half of it.
SMALL_CONTEXT_TOKENS = 8_192
# Seconds without a byte of a file that is fetched; then the fetch goes on over a new connection.
FETCH_IDLE_SECONDS = 60.0
# Tokens of context that a local model is loaded with: more costs memory, and minutes of reading.
LOCAL_CONTEXT_TOKENS = 16_384
# Tokens of context where neither a setting nor the endpoint tells: what hosted models take at least. A
# server with less says so when it refuses a prompt, and is believed.
CONTEXT_TOKENS = 128_000
# What an endpoint may say in tokens: fewer are no context, more are no count.
FEWEST_CONTEXT_TOKENS = 256
MOST_TOKENS = 1_000_000_000
# Tokens that a server reads at least of a prompt that it cuts: its instructions alone have more. A smaller
# count is one of something else.
LEAST_CUT_TOKENS = 1_024
# The part of a context that stays free, since estimates err, and the most that is kept for a reply.
CONTEXT_MARGIN_SHARE = 0.03
REPLY_SHARE = 0.25
# Tokens of a reply below which there is no use in asking for one.
MIN_REPLY_TOKENS = 256
# Units of text (see `context.estimator`) that make a token, until the server's counts tell: fewer than in
# any text that tokenizers handle well, so that a first prompt is not taken for shorter than it is.
UNITS_PER_TOKEN = 3.0
# Messages with results that stay whole when older ones are shortened, and the part of the room beside the
# system prompt that may then be in use. The model works on the last two; but where they take nearly all the
# room, as in a small context, the last one alone is better than a summary at every other step.
SHORTENED_SHARES = ((2, 0.7), (1, 0.85))
# The parts of the same room that a compaction keeps word for word of the end, and that a summary may take.
# Less would forget too much, more would have to be done again too soon.
KEPT_SHARE = 0.35
SUMMARY_SHARE = 0.25
# The most tokens of a summary: enough for what matters in a day's work.
SUMMARY_TOKENS = 1_500
# Characters of a result that is not worth shortening, and of its beginning that stays.
SHORT_RESULT_CHARS = 400
# Characters of each of the user's requests that are kept beside a summary, and of all of them at most; of an
# earlier summary as many, where no new one could be made.
DROPPED_REQUEST_CHARS = 500
DROPPED_MAX_CHARS = 4_000
# Characters of standard input that go to the model with `--stdin`, about 25,000 tokens; of more, both ends.
STDIN_MAX_CHARS = 100_000
# What tasks of many may take, in seconds: copying or fetching what one works in, and its check.
BATCH_COPY_SECONDS = 1800.0
BATCH_CHECK_SECONDS = 1800.0
# Characters of the end of a check's output that a result holds; all of it lies beside it.
BATCH_CHECK_CHARS = 2_000
# Seconds in which what a killed run has left ends by itself, before the next one gives up waiting for it.
BATCH_ENDING_SECONDS = 15.0
# Sessions that are listed at once, and characters of a session's name.
SESSIONS_LISTED = 20
SESSION_NAME_MAX_CHARS = 60


def result_max_chars(context_tokens: int | None) -> int:
    """What one tool result may have in a context of this size; None for one that is large enough."""
    if context_tokens is None:
        return RESULT_MAX_CHARS
    room = int((context_tokens - INSTRUCTION_TOKENS) * RESULT_CHARS_PER_TOKEN)
    return min(max(room, LEAST_RESULT_CHARS), RESULT_MAX_CHARS)


def notes_max_chars(context_tokens: int | None) -> int:
    """What the project's notes may have in a context: half a result."""
    return min(NOTES_MAX_CHARS, result_max_chars(context_tokens) // 2)
