import FocusCore
import FocusDevice
import FocusFormats
import FocusStore
import FocusText

/// A history of another program that is being taken into the device's log, in one transaction.
struct HistoryImport {
    /// What was done.
    struct Outcome: Hashable {
        /// How many entries were new.
        var added = 0
        /// How many were here already, or stood in the file before.
        var known = 0
        /// How many of the new ones take the place of an earlier version.
        var replacing = 0
        /// How many were left out, for each reason, and the first line where one stands.
        var omissions: [Omission: Omitted] = [:]
        /// What can't be read.
        var unreadable: [BadFile] = []
    }

    struct Omitted: Hashable {
        var count: Int
        var line: Int
    }

    let device: Device
    let format: HistoryFormat
    let found: [FoundEntry]
    /// Shared time.
    let now: SharedInstant
    let zone: LocalZone

    func run(_ authoring: inout Authoring) throws -> Outcome {
        var outcome = Outcome()
        var known = try KnownEntries(device, format, besides: found, at: now, zone)
        for entry in found {
            switch entry.content {
            case .omission(let omission): outcome.leaveOut(omission, entry.line)
            case .unreadable(let problem): outcome.unreadable.append(BadFile(line: entry.line, problem))
            case .entry(let content):
                let source = content.source ?? format.source(for: content)
                if try known.contains(content, source) {
                    outcome.known += 1
                } else if content.interval.to > now {
                    outcome.leaveOut(.future, entry.line)
                } else {
                    if outcome.added == 0 { try device.introduce(in: &authoring) }
                    if known.hasEarlierVersion(source) { outcome.replacing += 1 }
                    try authoring.write(.record(content.record(source: source)))
                    known.add(source)
                    outcome.added += 1
                }
            }
        }
        outcome.unreadable.sort { $0.line < $1.line }
        return outcome
    }
}

extension HistoryImport.Outcome {
    fileprivate mutating func leaveOut(_ omission: Omission, _ line: Int) {
        let before = omissions[omission]
        omissions[omission] = HistoryImport.Omitted(
            count: (before?.count ?? 0) + 1, line: min(before?.line ?? line, line))
    }
}

/// What a log has of the entries of a file.
private struct KnownEntries {
    private let device: Device
    /// The sources of what was here before.
    private let former: SourceSet
    private var sources: SourceSet
    /// What the history would be in a file of the format, where that has no room for what names an entry.
    private var written: Set<HistoryEntry> = []
    private var runs: [RunID: Bool] = [:]
    private var versions: [[UInt8]: (number: Int32, isRemoved: Bool)] = [:]

    init(
        _ device: Device, _ format: HistoryFormat, besides found: [FoundEntry], at now: SharedInstant,
        _ zone: LocalZone
    ) throws {
        self.device = device
        let (state, journal) = try device.store.history()
        former = journal.sources
        sources = former
        if format == .ics { versions = journal.latestVersions }
        guard found.contains(where: \.isNameless) else { return }
        for record in History.told(journal, state, at: now) {
            for entry in format.entries(of: record, splitOff: nil) {
                if let kept = format.kept(entry, zone: zone) { written.insert(kept.nameless) }
            }
        }
    }

    mutating func contains(_ entry: HistoryEntry, _ source: String) throws -> Bool {
        if sources.contains(source) { return true }
        let version = SourceVersion(source)
        if let known = versions[version.origin], known.isRemoved || known.number > version.number {
            return true
        }
        guard let named = entry.source else { return written.contains(entry.nameless) }
        // What was split since it came in whole is here.
        if former.hasHad(named) { return true }
        guard let run = PhasePart(source: named)?.phase.run else { return false }
        if let isKnown = runs[run] { return isKnown }
        // A part that was split off is named by the split.
        let isKnown =
            switch try device.store.event(at: run.position)?.action {
            case .start, .split: true
            default: false
            }
        runs[run] = isKnown
        return isKnown
    }

    /// Whether the log has an earlier version of what a source names.
    func hasEarlierVersion(_ source: String) -> Bool { versions[SourceVersion(source).origin] != nil }

    mutating func add(_ source: String) { sources.insert(source) }
}

extension FoundEntry {
    fileprivate var isNameless: Bool {
        if case .entry(let entry) = content { entry.source == nil } else { false }
    }
}

extension HistoryEntry {
    /// What the entry says of when and what, by which it is known again without a name.
    fileprivate var nameless: HistoryEntry {
        var entry = self
        entry.source = nil
        entry.outcome = .completed
        return entry
    }
}
