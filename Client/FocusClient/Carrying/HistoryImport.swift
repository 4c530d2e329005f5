import FocusCore
import FocusDevice
import FocusFormats
import FocusStore
import FocusText

/// An import of another program's history into the device's log, in one transaction.
struct HistoryImport {
    /// The result of an import.
    struct Outcome: Hashable {
        /// The number of new entries.
        var added = 0
        /// The number of entries that the log already has, or that occurred earlier in the file.
        var duplicates = 0
        /// The number of new entries that replace an earlier version.
        var replacing = 0
        /// The omitted entries by reason: their number and the first line.
        var omissions: [Omission: Omitted] = [:]
        /// The entries that can't be read.
        var unreadable: [FileFormatError] = []
    }

    /// The omitted entries of one reason.
    struct Omitted: Hashable {
        var count: Int
        /// The number of the first omitted line.
        var line: Int
    }

    let device: Device
    let format: HistoryFormat
    /// The items of the file, in its order.
    let items: [ParsedItem]
    /// The present instant, in shared time.
    let now: SharedInstant
    let zone: LocalZone

    func run(_ authoring: inout AuthoringTransaction) throws(StoreError) -> Outcome {
        var outcome = Outcome()
        var known = try KnownEntries(device, format, besides: items, at: now, zone)
        for entry in items {
            switch entry.content {
            case .omission(let omission): outcome.omit(omission, entry.line)
            case .unreadable(let problem):
                outcome.unreadable.append(FileFormatError(line: entry.line, problem))
            case .entry(let content):
                let source = content.source ?? format.source(for: content)
                if try known.contains(content, source) {
                    outcome.duplicates += 1
                } else if content.interval.to > now {
                    outcome.omit(.future, entry.line)
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
    fileprivate mutating func omit(_ omission: Omission, _ line: Int) {
        let before = omissions[omission]
        omissions[omission] = HistoryImport.Omitted(
            count: (before?.count ?? 0) + 1, line: min(before?.line ?? line, line))
    }
}

/// The entries of a file that a log already has.
private struct KnownEntries {
    private let device: Device
    /// The sources in the log before the import.
    private let logSources: SourceSet
    /// The sources in the log, and of the entries that this import added.
    private var sources: SourceSet
    /// The log's history as entries of the format, without sources and outcomes (`nameless`). An entry of the
    /// file that has no source is recognised by these.
    private var written: Set<HistoryEntry> = []
    /// A cache of lookups: whether the log has the event that began this run. A part that was split off
    /// counts as a run that the split began.
    private var runs: [RunID: Bool] = [:]
    /// The latest version that the log has of each iCalendar entry, by the entry's origin.
    private var versions: [[UInt8]: (number: Int32, isRemoved: Bool)] = [:]

    init(
        _ device: Device, _ format: HistoryFormat, besides found: [ParsedItem], at now: SharedInstant,
        _ zone: LocalZone
    ) throws(StoreError) {
        self.device = device
        let (state, journal) = try device.store.history()
        logSources = journal.sources
        sources = logSources
        if format == .ics { versions = journal.latestVersions }
        // Only entries without a source are compared with the history.
        guard found.contains(where: \.isNameless) else { return }
        for record in History.told(journal, state, at: now) {
            for entry in format.entries(of: record, splitOff: nil) {
                if let result = format.roundTripped(entry, zone: zone) { written.insert(result.nameless) }
            }
        }
    }

    mutating func contains(_ entry: HistoryEntry, _ source: String) throws(StoreError) -> Bool {
        if sources.contains(source) { return true }
        let version = SourceVersion(source)
        if let known = versions[version.origin], known.isRemoved || known.number > version.number {
            return true
        }
        guard let named = entry.source else { return written.contains(entry.nameless) }
        // The entry was imported whole and split since then, so the log has it.
        if logSources.containsOrigin(named) { return true }
        guard let run = PhasePart(source: named)?.phase.run else { return false }
        if let isKnown = runs[run] { return isKnown }
        // A part that was split off is named after the split, so that event proves it too.
        let isKnown =
            switch try device.store.event(at: run.position)?.action {
            case .start, .split: true
            default: false
            }
        runs[run] = isKnown
        return isKnown
    }

    /// Whether the log has an earlier version of the entry with this source.
    func hasEarlierVersion(_ source: String) -> Bool { versions[SourceVersion(source).origin] != nil }

    mutating func add(_ source: String) { sources.insert(source) }
}

extension ParsedItem {
    /// Whether the item is an entry without a source.
    fileprivate var isNameless: Bool {
        if case .entry(let entry) = content { entry.source == nil } else { false }
    }
}

extension HistoryEntry {
    /// The entry without its source, and with one outcome for all. If two of these are equal, they count as
    /// the same entry.
    fileprivate var nameless: HistoryEntry {
        var entry = self
        entry.source = nil
        entry.outcome = .completed
        return entry
    }
}
