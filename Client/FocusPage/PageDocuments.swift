import CommandLineKit
import FocusCore
package import FocusDevice
import FocusFront
import FocusStore
import FocusText

/// The documents that the page and calendar programs read; commands print the same.
package enum PageDocuments {
    /// Makes a document from a laptop's log, unless the cache has it.
    package typealias Maker = @Sendable (Device, DocumentCache) throws(PageError) -> PageAnswer

    /// Returns the maker of the history document. The request's query selects the days, and the label or tag.
    static func log(_ request: PageRequest) throws(PageError) -> Maker {
        let given = try days(request)
        let asked = LogRequest(
            HistoryFilter(range: given.isEmpty ? nil : given.range, choice: try choice(request)))
        let named = try namedZone(request)
        return { (device, cache) throws(PageError) in
            try cache.document(request, on: device, in: named) { (log) throws(CommandFailure) in
                var bytes: [UInt8] = []
                try HistoryDocument(
                    asked, log.state, log.history, own: log.own, at: log.now, by: named ?? .current
                ).write(namesOthers: true) { bytes += $0.utf8 }
                return bytes
            }
        }
    }

    /// Returns the maker of the statistics document. The request's query selects the days, and the label or
    /// tag.
    static func statistics(_ request: PageRequest) throws(PageError) -> Maker {
        let asked = StatsRequest(range: try days(request).range, choice: try choice(request))
        let named = try namedZone(request)
        return { (device, cache) throws(PageError) in
            try cache.document(request, on: device, in: named) { (log) throws(CommandFailure) in
                let report = try StatsReport(
                    asked, log.history.records, log.state.settings, at: log.now, by: named ?? .current)
                return Array("\(report.document)\n".utf8)
            }
        }
    }

    /// Returns the document of the recent labels.
    static func labels(_ device: Device, _ cache: DocumentCache) throws(PageError) -> PageAnswer {
        let labels = RecentLabels(try cache.read(device).history).all.map { JSON.string($0) }
        return .document(.object([JSON.Member("labels", .array(labels))]))
    }

    /// Returns the document of the group's laptops.
    static func devices(_ device: Device) throws(PageError) -> JSON {
        try mapError(PageError.device) { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in
                DeviceList.document(try DeviceList(device, in: device.shownState()).entries)
            }
        }
    }

    private static func days(
        _ request: PageRequest
    ) throws(PageError) -> (range: StatsRange, isEmpty: Bool) {
        let from = try day("from", request)
        let to = try day("to", request)
        return (.given(from: from, to: to), from == nil && to == nil)
    }

    private static func day(_ name: String, _ request: PageRequest) throws(PageError) -> DayWord? {
        guard let word = try text(name, request) else { return nil }
        guard let day = DayWord(word) else {
            throw .invalidDay(name)
        }
        return day
    }

    private static func choice(_ request: PageRequest) throws(PageError) -> WorkChoice {
        let label = try text("label", request)
        let tag = try text("tag", request)
        guard let choice = WorkChoice(label: label, tag: tag) else {
            throw .labelAndTag
        }
        if let tag, !LabelTag.canBeMeant(by: tag) { throw .invalidTag }
        return choice
    }

    private static func text(_ name: String, _ request: PageRequest) throws(PageError) -> String? {
        let values = request.query(name)
        guard values.count <= 1 else { throw .duplicateParameter(name) }
        return values.first
    }

    /// Returns the reader's time zone, which the query names as `zone`. Returns the laptop's zone if the
    /// query names none, or if the system doesn't know the name.
    static func zone(_ request: PageRequest) throws(PageError) -> Zone {
        try namedZone(request) ?? .current
    }

    /// Returns the reader's time zone, or nil if the query names none that the system knows.
    private static func namedZone(_ request: PageRequest) throws(PageError) -> Zone? {
        let names = request.query("zone")
        guard let name = names.first else { return nil }
        guard names.count == 1, Zone.isName(name) else { throw .invalidZone }
        return Zone(named: name)
    }
}
