import FocusCore
import FocusFront
import FocusText
import TestSupport
import Testing

@Suite("A history as a document")
struct HistoryDocumentTests {
    /// Returns a log of `count` sessions of 20 minutes, one per hour.
    private func sessions(_ count: Int64) throws -> (ReplayState, Journal) {
        var log = LogScript()
        for hour in 0..<count {
            let run = log.start(.zero + minutes(hour * 60), label: "Write")
            log.stop(run, .zero + minutes(hour * 60 + 20))
        }
        return try EventLog(log.events).replayed()
    }

    @Test("is handed over in pieces, which are one JSON object with all of its days and entries")
    func pieces() throws {
        let (state, journal) = try sessions(2_000)
        let document = try HistoryDocument(LogRequest(), state, journal, at: .zero + minutes(2_000 * 60))
        var pieces: [String] = []
        document.write { pieces.append($0) }
        #expect(pieces.count > 5)
        #expect(pieces.allSatisfy { $0.utf8.count < 66 << 10 })
        #expect(pieces.last?.last == "\n")
        let json = try JSON(parsing: Array(pieces.joined().dropLast().utf8))
        guard case .array(let records)? = json["history"], case .array(let days)? = json["days"] else {
            Issue.record("no history")
            return
        }
        #expect(records.count == 2_000)
        #expect(days.count == document.days.count)
    }

    @Test("the page's has the names of other laptops, unless the laptop is in no group")
    func otherLaptops() throws {
        let (state, journal) = try sessions(1)
        let now = SharedInstant.zero + minutes(60)
        let starter = try #require(History(journal, state, at: now).records.first?.run.starter)
        for (own, isOther) in [(nil, false), ([starter], false), ([], true)] as [(Set<ReplicaID>?, Bool)] {
            let document = try HistoryDocument(LogRequest(), state, journal, own: own, at: now)
            var (page, command) = ("", "")
            document.write(namesOthers: true) { page += $0 }
            document.write { command += $0 }
            #expect(page.contains("\"otherLaptop\":\"") == isOther)
            #expect(page.contains("\"otherLaptop\":null") != isOther)
            #expect(!command.contains("otherLaptop"))
        }
    }

    @Test(
        "the entries of a day are in the order in which they began", arguments: 1...5 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 300).events
        let (state, journal) = try EventLog(events).replayed()
        let history = History(journal, state, at: events.map(\.time).max() ?? 0)
        for day in HistoryByDay(history.records, .berlin).days {
            #expect(zip(day.records, day.records.dropFirst()).allSatisfy { $0.startedAt <= $1.startedAt })
        }
    }

    @Test("an entry is named by as much of its handle as no other one begins with")
    func named() throws {
        let (state, journal) = try sessions(40)
        let history = History(journal, state, at: .zero + minutes(40 * 60))
        #expect(throws: History.NoEntry.none("zzzzzzzz")) { try history.record(named: "zzzzzzzz") }
        var count = 0
        for letter in "0123456789abcdefghijklmnopqrstuvwxyz".map(String.init) {
            do throws(History.NoEntry) {
                _ = try history.record(named: letter)
                count += 1
            } catch .several(letter, let several, let lines) {
                #expect(lines.count == min(5, several) && several > 1)
                count += several
            } catch {
                #expect(error == .none(letter))
            }
        }
        #expect(count == 40)
    }
}
