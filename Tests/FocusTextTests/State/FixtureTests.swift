import FocusCore
import FocusText
import Foundation
import TestSupport
import Testing

/// The logs in `Fixtures`. Their expected states were worked out by hand and by another program.
@Suite("Fixtures")
struct FixtureTests {
    /// One folder of `Fixtures`.
    struct Fixture: CustomTestStringConvertible {
        let folder: URL
        var testDescription: String { folder.lastPathComponent }

        /// Returns the events of all logs in the folder, in the order of the files' paths.
        func events() throws -> [Event] {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "jsonl" }
                .sorted { $0.path < $1.path }
                .flatMap { try LogText.parse(Array(Data(contentsOf: $0))).map(\.event) }
        }

        func instant() throws -> SharedInstant {
            let text = try String(contentsOf: folder.appendingPathComponent("at"), encoding: .utf8)
            return try #require(InstantText.parse(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        func state() throws -> JSON {
            try JSON(parsing: Array(Data(contentsOf: folder.appendingPathComponent("state.json"))))
        }
    }

    static let fixtures: [Fixture] = {
        guard let root = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else { return [] }
        let folders = try? FileManager.default.contentsOfDirectory(
            at: root, includingPropertiesForKeys: [.isDirectoryKey])
        return (folders ?? []).filter(\.hasDirectoryPath).sorted { $0.path < $1.path }.map(Fixture.init)
    }()

    @Test("the fixtures are there")
    func present() {
        #expect(FixtureTests.fixtures.count >= 75)
    }

    @Test("a fixture shows the state that is written beside it", arguments: fixtures)
    func states(fixture: Fixture) throws {
        let (events, now) = (try fixture.events(), try fixture.instant())
        for arriving in [events, events.reversed(), events + events] {
            var timeline = Timeline(checkpointInterval: 2)
            for event in arriving { try timeline.merge([event]) }
            let document = StateDocument.replay(timeline.state, timeline.journal, at: now)
            #expect(document.ordered == (try fixture.state()).ordered)
            #expect(NaiveState(timeline, at: now) == NaiveTimer.state(of: events, at: now))
        }
    }

    @Test("a fixture's events are the same after being written and read again", arguments: fixtures)
    func roundTrip(fixture: Fixture) throws {
        let events = try fixture.events()
        let text = events.map { EventLine($0).description + "\n" }.joined()
        #expect(try LogText.parse(Array(text.utf8)).map(\.event) == events)
    }
}
