import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusPage
import FocusStore
import FocusText
import Foundation
import TestSupport
import Testing

/// The contents of a page in pictures: a group's laptop on Thursday, 20 November 2025, with a clock that
/// stands still.
///
/// The code that serves pages makes the documents. A script gives them to the page in place of the agent.
struct PageScene {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let device: Device

    init() throws {
        laptop = TestContext(
            home: home.path, now: 1_763_624_700_000, hostName: "desk", environment: ["TZ": "UTC"])
        device = try Device(laptop.machine)
        try enterGroup()
        try work()
    }

    /// Adds entries of every kind and outcome: with a short label, a long one, one in a right-to-left script,
    /// and none.
    private func work() throws {
        for words in [
            ["log", "add", "Report", "--from", "2025-11-19T09:00:00Z", "--for", "25m"],
            ["log", "add", "--from", "2025-11-19T09:25:00Z", "--for", "5m", "--activity", "shortBreak"],
            [
                "log", "add", "Letters to all who asked about the move in spring, one after the other",
                "--from", "2025-11-19T09:30:00Z", "--for", "50m",
            ],
            ["log", "add", "مراجعة #paper", "--from", "2025-11-18T14:00:00Z", "--for", "1h15m"],
            ["log", "add", "--from", "2025-10-02T10:00:00Z", "--for", "45m"],
        ] {
            try runSuccessfully(words)
        }
        for (words, minutes) in [
            (["start", "Report #paper"], 10), (["skip"], 2), (["skip"], 12), (["stop"], 3),
            (["start"], 25), ([], 6), (["label", "Letters to all who asked about the move in spring"], 4),
            (["skip"], 3), (["add", "5m"], 1), (["pause"], 1),
        ] as [([String], Int64)] {
            if !words.isEmpty { try runSuccessfully(words) }
            laptop.pass(.seconds(minutes * 60))
        }
    }

    private func runSuccessfully(_ words: [String]) throws {
        let result = laptop.run(words)
        try #require(result.status == .done, "\(words): \(result.messages)")
    }

    /// Enters a group with a laptop that is online, one that waits, one that was revoked, one that left, and
    /// a key that nobody has named.
    private func enterGroup() throws {
        func digest(_ digit: Character) throws -> Digest {
            try #require(Digest(hexadecimal: String(repeating: digit, count: 64)))
        }
        try device.store.setText(digest("a").hexadecimal, for: .deviceKey)
        try device.enterGroup()
        let names = ["b": "home", "c": "late", "d": "lost", "e": "left"] as KeyValuePairs<Character, String>
        for (index, entry) in names.enumerated() {
            try device.merge(
                .device(name: entry.value, key: try digest(entry.key).hexadecimal), by: 0x21 + UInt64(index),
                at: 1_763_600_000_000)
        }
        try device.merge(.revoke(try digest("e")), by: 0x24, seq: 2, at: 1_763_610_000_000)
        try device.merge(.revoke(try digest("d")), by: 0x21, seq: 2, at: 1_763_610_000_000)
        try device.store.upsert(
            ["b", "c", "f"].map { RosterEntry(device: try digest($0), isRevoked: false) })
        try device.record(ConnectionState(.online, online: [digest("a"), digest("b")]))
    }

    /// The script that gives the page each document that it requests, and one state.
    func script() throws -> String {
        let zone = try #require(Zone(named: "Etc/UTC"))
        var log = ""
        try HistoryDocument(LogRequest(), device, by: zone).write(namesOthers: true) { log += $0 }
        let stats = try StatsReport(
            StatsRequest(range: .given(from: nil, to: nil), choice: .all, json: true), device, by: zone)
        let status = try device.attempt { device throws(StoreError) in try DeviceStatus(device) }
        let troubles = try device.troubles(device.store.state(), at: device.now())
        let state = PageState(
            status, own: [.sound: .off], troubles: troubles, problem: nil, awake: 0)
        let documents = [
            "/log.json": log, "/stats.json": "\(stats.document)",
            "/devices.json": "\(DeviceList.document(try DeviceList(device).entries))",
        ]
        let members = documents.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return """
            (() => {
              const documents = { \(members.joined(separator: ", ")) };
              const state = \(state.json(by: zone.clocks));
              window.fetch = async (path) => Response.json(documents[path.split("?")[0]]);
              window.EventSource = class extends EventTarget {
                constructor() {
                  super();
                  setTimeout(() => this.dispatchEvent(new MessageEvent("state", { data: JSON.stringify(state) })));
                }
                close() {}
              };
            })();
            """
    }
}
