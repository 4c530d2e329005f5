// A plain loop over the events of a log that computes the timer's state, as somebody might write it only for
// speed. It follows the timer's rules (docs/timer-rules.md, §2 to §4) as far as this log needs them. It
// refuses undone events, side runs, `adopt`, facts and corrections. It doesn't check texts, counts the
// records of the history without keeping them, and looks for no conflict.
//
//   replay FILE TIMES
//
// FILE has the events in replay order, as `benchmarks events` writes them. For each time it prints how long
// it took to decode and apply the events one by one, and to apply them after decoding all. Each is given in
// seconds and in processor seconds. The last line is the state, in the same format as the last line of
// `benchmarks replaying`.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { START = 1, PAUSE, RESUME, STOP, SKIP, ADJUST, LABEL, SET = 9 };
enum activity { WORK, SHORT_BREAK, LONG_BREAK };
enum outcome { COMPLETED, SKIPPED, STOPPED };
enum setting {
    WORK_LENGTH, SHORT_LENGTH, LONG_LENGTH, FREQUENCY, AUTO_BREAKS, AUTO_WORK,
    GOAL, GOAL_FOCUS, WEEK_GOAL, WEEK_FOCUS, DAYS_OFF, IDLE, OVERTIME, SETTINGS
};

static const struct {
    const char *name;
    int64_t least, most, first;
} settingKeys[SETTINGS] = {
    {"workLength", 1, 86400, 1500},     {"shortBreakLength", 1, 86400, 300}, {"longBreakLength", 1, 86400, 900},
    {"longBreakFrequency", 1, 100, 4},  {"autoStartBreaks", 0, 1, 1},        {"autoStartWork", 0, 1, 1},
    {"dailyGoal", 0, 100, 8},           {"dailyFocus", 0, 86400, 0},         {"weeklyGoal", 0, 700, 0},
    {"weeklyFocus", 0, 604800, 0},      {"daysOff", 0, 127, 0},              {"idleLimit", 60, 86400, 43200},
    {"overtime", 0, 1, 0},
};

struct name {
    uint64_t stamp, replica;
};

struct text {
    const uint8_t *bytes;
    size_t length;
};

struct event {
    struct name position;
    uint64_t seq;
    // The run before it for a start; the run that is pressed on for other events.
    struct name run;
    int64_t at, ordinal, value;
    struct text text;
    uint8_t kind, hasRun, hasAt, isOffline;
};

struct run {
    struct name id;
    enum activity activity;
    int isPaused, isOffline;
    // Times in milliseconds: instants, except `remaining` and `active`, which are lengths.
    int64_t ordinal, cycles, startedAt, since, endsAt, remaining, active, anchor, touchedAt;
    struct text label;
};

struct state {
    int64_t settings[SETTINGS];
    int isOpen, hasLast;
    struct run run;
    int64_t effect;
    struct name last, change;
    uint64_t events, phases;
};

static void fail(const char *what) {
    fprintf(stderr, "replay: %s\n", what);
    exit(1);
}

// MARK: Decoding

static const uint8_t *at, *end;

static void need(size_t count) {
    if ((size_t)(end - at) < count) fail("the bytes end");
}

static uint8_t byte(void) {
    need(1);
    return *at++;
}

static uint64_t fixed(int count) {
    need(count);
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | *at++;
    return value;
}

static uint64_t varint(void) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t next = byte();
        value |= (uint64_t)(next & 0x7F) << shift;
        if (!(next & 0x80)) return value;
    }
    fail("a number is too long");
    return 0;
}

static int64_t number(void) {
    uint64_t value = varint();
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static struct name name(void) {
    uint64_t stamp = fixed(8);
    return (struct name){stamp, fixed(8)};
}

static struct text text(void) {
    size_t length = varint();
    need(length);
    struct text text = {at, length};
    at += length;
    return text;
}

static struct event decode(void) {
    struct event event = {0};
    event.position.replica = fixed(8);
    event.seq = fixed(8);
    event.position.stamp = fixed(8);
    size_t length = fixed(4);
    need(length);
    const uint8_t *next = at + length;
    event.kind = byte();
    if (event.kind == START) {
        uint8_t flags = byte();
        if (flags > 15) fail("a start with a length, a beginning or a break isn't dealt with");
        if (flags & 1) event.text = text();
        if ((event.hasRun = (flags & 2) != 0)) event.run = name();
        event.isOffline = (flags & 4) != 0;
        if ((event.hasAt = (flags & 8) != 0)) event.at = number();
    } else if (event.kind <= LABEL) {
        event.hasAt = byte();
        event.run = name();
        if (event.hasAt) event.at = number();
        if (event.kind == SKIP || event.kind == ADJUST) event.ordinal = number();
        if (event.kind == ADJUST) event.value = number();
        if (event.kind == LABEL) event.text = text();
    } else if (event.kind == SET) {
        event.text = text();
        event.value = number();
    } else {
        fail("an event of a kind that isn't dealt with");
    }
    if (at != next) fail("an event has another length");
    return event;
}

// MARK: The timer

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t clamp(int64_t value, int64_t low, int64_t high) { return greater(low, smaller(value, high)); }
static int64_t timeOf(const struct event *event) { return event->position.stamp >> 16; }
static int isSame(struct name a, struct name b) { return a.stamp == b.stamp && a.replica == b.replica; }

static void endPhase(struct state *state, struct run *run, int64_t instant, enum outcome outcome) {
    int64_t active = run->active + (run->isPaused ? 0 : instant - run->since);
    if (outcome == COMPLETED || active >= 1000) state->phases++;
}

static void beginPhase(const struct state *state, struct run *run, enum activity activity, int64_t instant, int isRunning) {
    run->activity = activity;
    run->startedAt = instant;
    run->active = 0;
    int64_t length = state->settings[activity] * 1000;
    run->isPaused = !isRunning;
    if (isRunning) {
        run->since = instant;
        run->endsAt = instant + length;
    } else {
        run->remaining = length;
    }
}

static void beginNextPhase(const struct state *state, struct run *run, int64_t instant, int wasRunning) {
    enum activity next = WORK;
    if (run->activity == WORK)
        next = (run->cycles + 1) % state->settings[FREQUENCY] == 0 ? LONG_BREAK : SHORT_BREAK;
    else
        run->cycles++;
    run->ordinal++;
    beginPhase(state, run, next, instant, wasRunning && state->settings[next == WORK ? AUTO_WORK : AUTO_BREAKS] == 1);
}

// Advances a run to an instant. Returns whether it is still open; if not, `closing` is the instant at which
// it closed.
static int advance(struct state *state, struct run *run, int64_t instant, int64_t *closing) {
    for (;;) {
        int64_t limit = run->touchedAt + state->settings[IDLE] * 1000;
        if (run->isPaused) {
            if (limit > instant) return 1;
            endPhase(state, run, *closing = limit, STOPPED);
            return 0;
        }
        if (run->endsAt > instant) return 1;
        endPhase(state, run, *closing = run->endsAt, COMPLETED);
        if (run->endsAt >= limit) return 0;
        beginNextPhase(state, run, run->endsAt, 1);
    }
}

static void changed(struct state *state, const struct event *event) {
    state->change = (struct name){event->seq, event->position.replica};
}

static void start(struct state *state, const struct event *event) {
    int64_t time = timeOf(event), instant = clamp(event->hasAt ? event->at : time, state->effect, time), closing;
    changed(state, event);
    if (state->isOpen) {
        if (!advance(state, &state->run, instant, &closing)) state->effect = greater(state->effect, closing);
        else if (event->hasRun && isSame(event->run, state->run.id) && (!event->isOffline || state->run.isOffline))
            endPhase(state, &state->run, instant, STOPPED);
        else fail("side runs aren't dealt with");
    }
    state->run = (struct run){.id = event->position, .isOffline = event->isOffline, .label = event->text};
    beginPhase(state, &state->run, WORK, instant, 1);
    state->run.anchor = instant;
    state->run.touchedAt = time;
    state->isOpen = state->hasLast = 1;
    state->last = event->position;
    state->effect = greater(state->effect, instant);
}

// Applies an event to a run that was advanced to its instant. Returns whether the event can act.
static int act(struct state *state, struct run *run, const struct event *event, int64_t instant) {
    switch (event->kind) {
    case PAUSE:
        if (run->isPaused) return 0;
        run->active += instant - run->since;
        run->remaining = run->endsAt - instant;
        run->isPaused = 1;
        return 1;
    case RESUME:
        if (!run->isPaused) return 0;
        run->since = instant;
        run->endsAt = instant + run->remaining;
        run->isPaused = 0;
        return 1;
    case STOP:
        endPhase(state, run, instant, STOPPED);
        state->isOpen = 0;
        return 1;
    case SKIP: {
        if (event->ordinal != run->ordinal) return 0;
        int wasRunning = !run->isPaused;
        endPhase(state, run, instant, SKIPPED);
        beginNextPhase(state, run, instant, wasRunning);
        return 1;
    }
    case ADJUST: {
        if (event->ordinal != run->ordinal) return 0;
        int64_t ends = (run->isPaused ? instant + run->remaining : run->endsAt) + event->value * 1000;
        ends = clamp(ends, instant, instant + 86400000);
        if (run->isPaused) run->remaining = ends - instant;
        else run->endsAt = ends;
        return 1;
    }
    default:
        run->label = event->text;
        return 1;
    }
}

static void press(struct state *state, const struct event *event) {
    if (!state->isOpen || !isSame(event->run, state->run.id)) return;
    if (event->kind == ADJUST && (event->value < -86400 || event->value > 86400)) return;
    int64_t time = timeOf(event), instant = clamp(event->hasAt ? event->at : time, state->run.anchor, time), closing;
    // The advanced state is kept only if the event acts, or if the run has closed.
    struct run before = state->run;
    uint64_t phases = state->phases;
    if (!advance(state, &state->run, instant, &closing)) {
        state->isOpen = 0;
        state->effect = greater(state->effect, closing);
        return;
    }
    if (!act(state, &state->run, event, instant)) {
        state->run = before;
        state->phases = phases;
        return;
    }
    state->run.anchor = instant;
    state->run.touchedAt = time;
    if (event->position.replica != state->run.id.replica) state->run.isOffline = 0;
    state->effect = greater(state->effect, instant);
    changed(state, event);
}

static void set(struct state *state, const struct event *event) {
    int key = 0;
    while (key < SETTINGS && (strlen(settingKeys[key].name) != event->text.length ||
                              memcmp(settingKeys[key].name, event->text.bytes, event->text.length)))
        key++;
    if (key == SETTINGS || event->value < settingKeys[key].least || event->value > settingKeys[key].most ||
        event->value == state->settings[key])
        return;
    if (key == OVERTIME) fail("overtime isn't dealt with");
    int64_t instant = timeOf(event), closing;
    if ((key < GOAL || key > DAYS_OFF) && state->isOpen) {
        state->isOpen = advance(state, &state->run, instant, &closing);
        if (state->isOpen) state->run.anchor = state->run.touchedAt = instant;
        state->effect = greater(state->effect, state->isOpen ? instant : closing);
    }
    state->settings[key] = event->value;
    changed(state, event);
}

static void apply(struct state *state, const struct event *event) {
    state->events++;
    switch (event->kind) {
    case START: return start(state, event);
    case SET: return set(state, event);
    default: return press(state, event);
    }
}

static struct state nothing(void) {
    struct state state = {0};
    for (int key = 0; key < SETTINGS; key++) state.settings[key] = settingKeys[key].first;
    return state;
}

static void say(const struct state *state) {
    static const char *const activities[] = {"work", "shortBreak", "longBreak"};
    const struct run *run = &state->run;
    printf("events %" PRIu64 " phases %" PRIu64 " effect %" PRId64, state->events, state->phases, state->effect);
    if (state->hasLast) printf(" last %" PRIu64 "@%" PRIu64, state->last.stamp, state->last.replica);
    if (state->change.stamp) printf(" change %" PRIu64 "/%" PRIu64, state->change.replica, state->change.stamp);
    printf(" settings");
    for (int key = 0; key < SETTINGS; key++) printf(" %" PRId64, state->settings[key]);
    printf(" sides 0");
    if (!state->isOpen) {
        printf(" stopped\n");
        return;
    }
    printf(" run %" PRIu64 "@%" PRIu64 " %s %" PRId64 " %" PRId64, run->id.stamp, run->id.replica, activities[run->activity],
           run->ordinal, run->cycles);
    printf(" from %" PRId64 " anchor %" PRId64 " touched %" PRId64 " active %" PRId64, run->startedAt, run->anchor,
           run->touchedAt, run->active);
    if (run->isPaused) printf(" paused %" PRId64, run->remaining);
    else printf(" running %" PRId64 " %" PRId64, run->since, run->endsAt);
    printf(" called %.*s\n", (int)run->label.length, (const char *)run->label.bytes);
}

// MARK: The run

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 3) fail("replay FILE TIMES");
    FILE *file = fopen(argv[1], "r");
    if (!file || fseek(file, 0, SEEK_END) != 0) fail("the file can't be read");
    size_t size = ftell(file);
    uint8_t *bytes = malloc(size);
    rewind(file);
    if (fread(bytes, 1, size, file) != size) fail("the file can't be read");
    struct event *events = NULL;
    size_t count = 0, room = 0;
    for (at = bytes, end = bytes + size; at < end;) {
        if (count == room) events = realloc(events, (room = room * 2 + 1024) * sizeof *events);
        events[count++] = decode();
    }
    struct state state = nothing();
    for (int times = atoi(argv[2]); times > 0; times--) {
        double began = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
        state = nothing();
        for (at = bytes; at < end;) {
            struct event event = decode();
            apply(&state, &event);
        }
        printf("%.9f %.9f ", now(CLOCK_MONOTONIC) - began, now(CLOCK_PROCESS_CPUTIME_ID) - worked);
        began = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
        state = nothing();
        for (size_t i = 0; i < count; i++) apply(&state, events + i);
        printf("%.9f %.9f\n", now(CLOCK_MONOTONIC) - began, now(CLOCK_PROCESS_CPUTIME_ID) - worked);
    }
    say(&state);
    return 0;
}
