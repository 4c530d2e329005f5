import ClientSupport
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import TestSupport
import Testing

@testable import FocusPage

@Suite("Documents that are made again only if they have changed")
struct DocumentCacheTests {
    /// A laptop at 18:00 in UTC.
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let device: Device
    private let cache = DocumentCache()

    init() throws {
        BerlinTime.set()
        device = try Device(laptop.machine)
    }

    private static let requests: [PageRequest] = ["UTC", "Asia/Tokyo", nil].flatMap(makeRequests)

    private static func makeRequests(in zone: String?) -> [PageRequest] {
        let fields = zone.map { [PageRequest.Field("zone", $0)] } ?? []
        let yesterday = PageRequest.Field("from", "yesterday")
        return [
            PageRequest("GET", "/log.json", query: [yesterday] + fields),
            PageRequest("GET", "/log.json", query: fields),
            PageRequest("GET", "/stats.json", query: fields),
            PageRequest("GET", "/labels.json"),
        ]
    }

    private func document(_ request: PageRequest, _ cache: DocumentCache) throws -> String {
        let answer =
            switch request.path {
            case "/log.json": try PageDocuments.log(request)(device, cache)
            case "/stats.json": try PageDocuments.statistics(request)(device, cache)
            default: try PageDocuments.labels(device, cache)
            }
        #expect(answer.status == 200 && answer.type == "application/json")
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Expects that the cache's documents equal documents made without it. Returns them without their instants.
    @discardableResult
    private func documents(after change: String) throws -> [String] {
        try Self.requests.map { request in
            let made = try document(request, DocumentCache())
            for _ in 0..<2 {
                let cached = try document(request, cache)
                #expect(cached == made, "\(request.path) after \(change)")
            }
            return request.path == "/labels.json" ? made : String(made.drop { $0 != "," })
        }
    }

    /// Performs a change, after which some document has to be another one.
    private func expectNews(after change: String, _ body: () throws -> Void) throws {
        let before = try documents(after: "the change before \(change)")
        try body()
        #expect(try documents(after: change) != before, "\(change)")
    }

    private func press(_ interaction: Interaction) throws { _ = try device.perform(interaction) }

    private func work() throws {
        try press(.start(label: "Write"))
        laptop.pass(.seconds(600))
        try press(.stop)
    }

    @Test("without a change they are the same, with the present instant")
    func unchanged() throws {
        try work()
        let before = try documents(after: "work")
        laptop.pass(.seconds(60))
        try press(.start(label: "Read"))
        #expect(try documents(after: "a start") == before)
        laptop.pass(.seconds(60))
        try press(.pause)
        #expect(try documents(after: "a pause") == before)
        let request = Self.requests[0]
        #expect(try document(request, cache).hasPrefix("{\"now\":1763662320000,"))
    }

    @Test("a later entry, a correction, its undo, a setting and another name are in them")
    func pressed() throws {
        try expectNews(after: "work") { try work() }
        try expectNews(after: "a phase that ended by itself") {
            try press(.start(label: "Read"))
            laptop.pass(.seconds(1_600))
        }
        try expectNews(after: "a skip") { try press(.skip) }
        try expectNews(after: "a new label") {
            let entry = try #require(try device.history().records.first)
            try press(.relabel(entry.name, "Mail"))
        }
        try expectNews(after: "an undo") { try press(.undo) }
        try expectNews(after: "a goal") { try press(.set(.dailyGoal, 7)) }
        try expectNews(after: "another name") { try press(.nameDevice("desk")) }
        try documents(after: "all of them")
    }

    @Test("on the next day they are of that day")
    func nextDay() throws {
        try work()
        try expectNews(after: "midnight") { laptop.pass(.seconds(86_400)) }
    }

    @Test("another laptop's earlier work is in them when it arrives")
    func earlier() throws {
        try work()
        try device.enterGroup()
        let early = try device.now() - .seconds(7_200)
        try device.merge(.device(name: "work", key: nil), by: 0x21, at: early)
        try expectNews(after: "an earlier entry") {
            let entry = Action.Record(
                activity: "work", startedAt: early - .seconds(900), endedAt: early, outcome: "completed",
                label: "Plan", source: "hand:1")
            try device.merge(.record(entry), by: 0x21, seq: 2, at: early, counter: 1)
        }
    }

    @Test("while many events wait to be replayed they are those before")
    func catchingUp() throws {
        try work()
        try device.enterGroup()
        let request = Self.requests[0]
        let before = try document(request, cache)
        let now = try device.now()
        let entry = Action.Record(
            activity: "work", startedAt: now - .seconds(900), endedAt: now, outcome: "completed",
            label: "Plan", source: "hand:1")
        let events = try (1...1_100 as ClosedRange<UInt64>).map { seq in
            let stamp = try #require(Stamp(time: now + .milliseconds(Int64(seq)), counter: 0))
            let event = Event(
                replica: ReplicaID(rawValue: 0x21), seq: seq, stamp: stamp,
                action: seq == 1 ? .record(entry) : .set(key: "dailyGoal", value: Int64(seq % 90)))
            return StoredEvent(event, epoch: EpochID(rawValue: 1))
        }
        _ = try device.store.merge(events, acknowledged: true, replaying: false)
        #expect(try document(request, cache) == before)
        try device.store.replay()
        try documents(after: "the replay")
        #expect(try document(request, cache).contains("Plan"))
    }

    @Test("they are made again after all was forgotten")
    func forgotten() throws {
        try work()
        let before = try documents(after: "work")
        cache.removeAll()
        #expect(try documents(after: "forgetting") == before)
    }
}
