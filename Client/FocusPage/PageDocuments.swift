import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusStore
import FocusText
import FocusWords

/// What the page reads, which is what the commands print with `--json`.
enum PageDocuments {
    /// Makes a document of a laptop's log.
    typealias Making = @Sendable (Device) throws(PageFailure) -> HTTPResponse

    /// The history of the days, and under the label or tag, that an address asks for.
    static func log(_ request: HTTPRequest) throws(PageFailure) -> Making {
        let given = try days(request)
        let asked = LogRequest(range: given.isEmpty ? nil : given.range, choice: try choice(request))
        let zone = try zone(request)
        return { device throws(PageFailure) in
            var bytes: [UInt8] = []
            try failing(PageFailure.command) { () throws(CommandFailure) in
                try HistoryDocument(asked, device, by: zone).write { bytes += $0.utf8 }
            }
            return HTTPResponse(200, type: "application/json", bytes)
        }
    }

    /// The statistics of the days, and under the label or tag, that an address asks for.
    static func statistics(_ request: HTTPRequest) throws(PageFailure) -> Making {
        let asked = StatsRequest(range: try days(request).range, choice: try choice(request))
        let zone = try zone(request)
        return { device throws(PageFailure) in
            try failing(PageFailure.command) { () throws(CommandFailure) in
                .document(try StatsReport(asked, device, by: zone).document)
            }
        }
    }

    /// The group's laptops.
    static func devices(_ device: Device) throws(PageFailure) -> JSON {
        try failing(PageFailure.device) { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in
                DeviceList.document(try DeviceList(device).entries)
            }
        }
    }

    private static func days(
        _ request: HTTPRequest
    ) throws(PageFailure) -> (range: StatsRange, isEmpty: Bool) {
        let from = try day("from", request)
        let to = try day("to", request)
        return (.given(from: from, to: to), from == nil && to == nil)
    }

    private static func day(_ name: String, _ request: HTTPRequest) throws(PageFailure) -> DayWord? {
        guard let word = try text(name, request) else { return nil }
        guard let day = DayWord(word) else {
            throw .noDay(name)
        }
        return day
    }

    private static func choice(_ request: HTTPRequest) throws(PageFailure) -> WorkChoice {
        let label = try text("label", request)
        let tag = try text("tag", request)
        guard let choice = WorkChoice(label: label, tag: tag) else {
            throw .labelAndTag
        }
        return choice
    }

    private static func text(_ name: String, _ request: HTTPRequest) throws(PageFailure) -> String? {
        let values = request.query(name)
        guard values.count <= 1 else { throw .givenTwice(name) }
        return values.first
    }

    /// The time zone of who reads: the one that the address names by `zone`, and where the system doesn't know it, or
    /// none is named, that of this place.
    private static func zone(_ request: HTTPRequest) throws(PageFailure) -> Zone {
        let names = request.query("zone")
        guard let name = names.first else { return .here }
        return try zone(names.count == 1 ? name : "")
    }

    /// The time zone of this name, and where the system doesn't know it, that of this place.
    static func zone(_ name: String) throws(PageFailure) -> Zone {
        guard Zone.isName(name) else {
            throw .noZone
        }
        return Zone(named: name) ?? .here
    }
}
