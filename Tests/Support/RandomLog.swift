package import FocusCore

/// A random log as several offline, careless and malicious laptops might write it. Equal seeds give equal
/// logs.
///
/// Each replica writes from its own view: the events that it wrote or merged. So its events mostly name runs
/// and ordinals that it saw. A share of all fields is plain nonsense.
package struct RandomLog {
    package let seed: UInt64
    /// The events in the order in which they were authored.
    package private(set) var events: [Event] = []

    private var random: SeededGenerator
    private var replicas: [Replica]
    /// The real time.
    private var now: SharedInstant
    /// Whether phases and idle limits last seconds instead of minutes.
    private let hasty: Bool
    private var texts = RandomTexts()

    private struct Replica {
        let id: ReplicaID
        var seq: UInt64 = 0
        var clock = LamportClock()
        /// The error of the replica's clock.
        let skew: Duration
        var view: [Event] = []
        var known: Set<EventID> = []
        /// The state that the replica looked at last.
        var seen: NaiveState?

        mutating func merge(_ event: Event) {
            guard known.insert(event.id).inserted else { return }
            view.append(event)
            clock.observe(event.stamp)
        }
    }

    /// Writes `count` events by up to `replicaCount` replicas.
    package init(seed: UInt64, count: Int, replicaCount: Int = 4) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        hasty = seed % 3 == 0
        now = seed % 5 == 0 ? .zero + random.length(upTo: 5000) : 1_763_661_600_000
        var replicas: [Replica] = []
        for _ in 0..<max(1, replicaCount) {
            let skews: [Duration] = [0, 0, 0, 250, 60_000, -3_600_000]
            replicas.append(
                Replica(
                    id: ReplicaID(rawValue: random.next()), skew: skews.randomElement(using: &random) ?? .zero
                ))
        }
        self.replicas = replicas
        shareIdleLimit()
        while events.count < count { step() }
    }

    /// Adds a first event that all replicas have, so that an abandoned run of short phases doesn't continue
    /// for thousands.
    private mutating func shareIdleLimit() {
        let action = Action.set(key: "idleLimit", value: hasty ? 300 : 3600)
        guard let stamp = replicas[0].clock.tick(now: now) else { return }
        replicas[0].seq += 1
        let event = Event(replica: replicas[0].id, seq: 1, stamp: stamp, action: action)
        for index in replicas.indices { replicas[index].merge(event) }
        events.append(event)
    }

    private mutating func step() {
        passTime()
        let index = Int.random(in: replicas.indices, using: &random)
        if chance(45) { mergeSome(into: index) }
        let action = randomAction(by: index)
        guard let stamp = replicas[index].clock.tick(now: now + replicas[index].skew) else { return }
        replicas[index].seq += 1
        let event = Event(
            replica: replicas[index].id, seq: replicas[index].seq, stamp: stamp, action: action)
        replicas[index].merge(event)
        events.append(event)
    }

    private mutating func passTime() {
        let minute: Duration = hasty ? 5_000 : 60_000
        switch Int.random(in: 0..<100, using: &random) {
        case ..<25: break
        case ..<40: now += random.length(1, upTo: 2000)
        case ..<88: now += random.length(upTo: minute * 30)
        case ..<97: now += random.length(upTo: minute * 300)
        default: now += random.length(upTo: minute * 1500)
        }
    }

    /// Merges all or the oldest part of another replica's events into a replica.
    private mutating func mergeSome(into index: Int) {
        let other = Int.random(in: replicas.indices, using: &random)
        let view = replicas[other].view
        let count = chance(70) ? view.count : Int.random(in: 0...view.count, using: &random)
        for event in view.prefix(count) { replicas[index].merge(event) }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }
}

// MARK: - Actions

extension RandomLog {
    private mutating func randomAction(by index: Int) -> Action {
        // The state isn't updated each time, because some people press on a state that they saw a while ago.
        if replicas[index].seen == nil || chance(40) {
            replicas[index].seen = NaiveTimer.state(
                of: replicas[index].view, at: now + replicas[index].skew)
        }
        let seen = replicas[index].seen
        let run = someRun(seen)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<17: return randomStart(seen)
        case ..<26: return .pause(run, at: someAt())
        case ..<36: return .resume(run, at: someAt())
        case ..<42: return .stop(run, at: someAt())
        case ..<47: return .skip(run, ordinal: someOrdinal(seen), at: someAt())
        case ..<50: return .complete(run, ordinal: someOrdinal(seen), at: someAt())
        case ..<52: return .rest(run, ordinal: someOrdinal(seen), at: someAt())
        case ..<60:
            return .adjust(run, ordinal: someOrdinal(seen), seconds: someSeconds(), at: someAt())
        case ..<64: return .label(run, text: texts.next(using: &random), at: someAt())
        case ..<69: return .adopt(chance(70) ? seen?.sideRuns.randomElement(using: &random) ?? run : run)
        case ..<75: return randomSet()
        case ..<77: return randomProfile()
        case ..<78: return .device(name: texts.next(using: &random), key: nil)
        case ..<79: return chance(60) ? .revoke(someKey()) : .readmit(someKey())
        case ..<83: return randomRecord()
        case ..<86: return randomAmend(seen)
        case ..<88: return randomCorrection(seen)
        case ..<97: return .undo(someTarget(by: index))
        default: return .unknown(.named("dance", fields: "{\"steps\":3}"))
        }
    }

    /// Returns one of three keys, so that several events name the same key.
    private mutating func someKey() -> Digest {
        let byte = pick([1, 2, 3] as [UInt8])
        return Digest(InlineArray(repeating: byte))
    }

    private mutating func randomStart(_ seen: NaiveState?) -> Action {
        var after = seen?.run ?? seen?.history.last?.run
        if chance(20) { after = chance(30) ? nil : someRun(nil) }
        let label = chance(50) ? texts.next(using: &random) : nil
        var at = someAt()
        // In an empty log nothing limits a start's `at`. A run since 1970 would have a million phases by now.
        if let instant = at, now > 1_000_000_000 { at = max(instant, now - 14_400_000) }
        let length: Int64? = chance(10) ? pick([0, 1, 30, 3000, 86_400, 86_401]) : nil
        let begins: SharedInstant? =
            chance(15) ? now + (chance(90) ? random.length(upTo: 7_200_000) : 90_000_000) : nil
        return .start(
            Action.Start(
                label: label, after: after, offline: chance(35), at: at, length: length, begins: begins,
                rest: chance(8)))
    }

    private mutating func randomSet() -> Action {
        let lengths: [Int64] = hasty ? [20, 30, 60] : [600, 1500, 1501, 7200, 86400]
        let limits: [Int64] = hasty ? [60, 61, 90, 300] : [60, 600, 3600, 14400]
        if chance(10) { return .set(key: "workLength", value: 86401) }
        if chance(5) { return .set(key: "idleLimit", value: 59) }
        if chance(5) { return .set(key: "worklength", value: 60) }
        if chance(5) { return .set(key: "longBreakFrequency", value: 0) }
        let choices: [(String, Int64)] = [
            ("workLength", pick(lengths)), ("shortBreakLength", pick(lengths)),
            ("longBreakLength", pick(lengths)), ("longBreakFrequency", pick([1, 2, 3, 100])),
            ("autoStartBreaks", pick([0, 1])), ("autoStartWork", pick([0, 1])),
            ("dailyGoal", pick([0, 5, 8])), ("dailyFocus", pick([0, 14400, 86401])),
            ("weeklyGoal", pick([0, 30])), ("weeklyFocus", pick([0, 72000])),
            ("daysOff", pick([0, 96, 127, 128])),
            ("idleLimit", pick(limits)), ("idleLimit", pick(limits)),
            ("overtime", 1), ("overtime", pick([0, 1])), ("server", pick([0, 7, -7])),
        ]
        let choice = choices.randomElement(using: &random) ?? ("dailyGoal", 1)
        return .set(key: choice.0, value: choice.1)
    }

    private mutating func randomProfile() -> Action {
        let text = texts.next(using: &random)
        let name = pick(["deep", " deep ", "classic", "caf\u{E9}", "cafe\u{301}", text])
        if chance(25) { return .profile(name: name, nil) }
        let lengths: [Int64] = hasty ? [20, 60] : [600, 1500]
        return .profile(
            name: name,
            PhaseLengths(
                work: chance(5) ? 0 : pick(lengths), shortBreak: pick(lengths), longBreak: pick(lengths),
                longBreakFrequency: pick([1, 4])))
    }

    private mutating func randomRecord() -> Action {
        let endedAt = now - pick([-1, 0, 1, 5000, 3_600_000, (now + 1) - SharedInstant.zero])
        let startedAt =
            endedAt
            - pick([-1, 0, 1, 999, 1000, 1_500_000, 86_400_000, 86_400_001, endedAt - SharedInstant.zero])
        return .record(
            Action.Record(
                activity: pick(["work", "work", "shortBreak", "longBreak", "nap", ""]), startedAt: startedAt,
                endedAt: endedAt, outcome: pick(["completed", "completed", "skipped", "stopped", "done"]),
                label: texts.next(using: &random),
                source: pick([
                    "a", "b", " a ", "c\u{301}", "\u{107}", "\n", "", "a;sequence=2", "a;sequence=10",
                    "a;sequence=02", "hand:1", " hand:1 ", "hand:2", "hand/2", "offline",
                ])))
    }

    private mutating func randomAmend(_ seen: NaiveState?) -> Action {
        let record = seen?.history.randomElement(using: &random)
        return .amend(
            Action.Amend(
                run: record?.run ?? someRun(seen), ordinal: record?.ordinal ?? 0,
                label: chance(60) ? texts.next(using: &random) : nil, removed: pick([nil, true, false])))
    }

    private mutating func randomCorrection(_ seen: NaiveState?) -> Action {
        let record = seen?.history.randomElement(using: &random)
        let run = record?.run ?? someRun(seen)
        let (from, to) = (record?.startedAt ?? 0, record?.endedAt ?? now)
        if chance(40) {
            let instant =
                from + pick([-1, 0, 1, 1000, .milliseconds((to - from).inMilliseconds / 2), to - from])
            let label = chance(50) ? texts.next(using: &random) : nil
            return .split(
                Action.Split(run: run, ordinal: record?.ordinal ?? 0, instant: instant, label: label))
        }
        let shift = pick([
            0, 0, 1, -1, 60_000, -3_600_000, from - to, .milliseconds(Int64.max), .milliseconds(Int64.min),
        ])
        let start = (chance(70) ? from + pick([0, -60_000, 60_000, 3_600_000]) : from).wrapping(shift)
        let end = (chance(70) ? to + pick([0, -60_000, 60_000, -3_600_000, 86_400_001]) : to).wrapping(shift)
        return .retime(
            Action.Retime(
                run: run, ordinal: record?.ordinal ?? 0, startedAt: start, endedAt: end, shift: shift))
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}

// MARK: - Fields

extension RandomLog {
    /// Returns mostly the run that the author sees; sometimes any run, or one that never existed.
    private mutating func someRun(_ seen: NaiveState?) -> RunID {
        if let run = seen?.run, chance(75) { return run }
        if let run = seen?.sideRuns.randomElement(using: &random), chance(50) { return run }
        let starts = events.filter { if case .start = $0.action { true } else { false } }
        if let start = starts.suffix(6).randomElement(using: &random), chance(85) {
            return RunID(start.position)
        }
        if let event = events.randomElement(using: &random), chance(60) { return RunID(event.position) }
        // Returns a run that may yet begin, as a forged `after` could name it.
        let later = Stamp(time: max(0, now), counter: 0) ?? .zero
        return RunID(stamp: later, replica: replicas[0].id)
    }

    private mutating func someOrdinal(_ seen: NaiveState?) -> Int64 {
        let present = seen?.ordinal ?? 0
        return chance(85) ? present : pick([present + 1, present - 1, -1, Int64.max])
    }

    private mutating func someSeconds() -> Int64 {
        pick([60, 300, -60, -300, 0, 1, -1, 86400, -86400, 86401, -86401, Int64.min, Int64.max])
    }

    private mutating func someAt() -> SharedInstant? {
        if chance(70) { return nil }
        if chance(80) { return now - random.length(upTo: 3_600_000) }
        return pick([0, -1, now + 60_000, now - 86_400_000, .distantPast, .distantFuture])
    }

    /// Returns mostly one of the last events that the author saw; sometimes an undo, a missing event or the
    /// next own event.
    private mutating func someTarget(by index: Int) -> EventID {
        let replica = replicas[index]
        let undos = replica.view.filter { if case .undo = $0.action { true } else { false } }
        if let undo = undos.last, chance(35) { return undo.id }
        if let event = replica.view.dropFirst().suffix(8).randomElement(using: &random), chance(75) {
            return event.id
        }
        if let event = events.dropFirst().randomElement(using: &random), chance(70) { return event.id }
        return EventID(replica: replica.id, seq: pick([0, replica.seq + 1, replica.seq + 3, .max]))
    }
}

/// Labels, names and sources, both harmless and malicious.
private struct RandomTexts {
    private let texts = [
        "Write", "Read", "", "  padded  ", "\u{85}\u{A0}wide\u{3000}", "tab\tand\nline", "\u{0}\u{1F}",
        "caf\u{E9}", "cafe\u{301}", "\u{1F468}\u{200D}\u{1F469}", String(repeating: "x", count: 250),
        String(repeating: "y", count: 199) + "  z", "\n \t",
    ]

    func next(using random: inout SeededGenerator) -> String { texts.randomElement(using: &random) ?? "" }
}

extension SharedInstant {
    /// The instant `shift` later, in arithmetic that wraps around.
    fileprivate func wrapping(_ shift: Duration) -> SharedInstant {
        SharedInstant(milliseconds: milliseconds &+ shift.inMilliseconds)
    }
}
