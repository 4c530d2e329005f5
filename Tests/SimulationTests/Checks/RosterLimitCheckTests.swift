import FocusCore
import FocusSync
import FocusWriter
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore
@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let (founder, newcomer) = (digest(1), digest(2))

private func digest(_ byte: UInt8) -> Digest { Digest(InlineArray(repeating: byte)) }

/// The rows of a store, after `statements`: group 1 of `founder`.
private func registry(_ statements: String = "") throws -> Registry {
    try StoredRows.registry(
        """
        INSERT INTO groups VALUES (1, x'00000000000000000000000000000001', NULL);
        INSERT INTO devices VALUES (x'\(founder.hexadecimal)', 1, 1, NULL);
        \(statements)
        """)
}

@Suite("How many devices a group has, held against the protocol", .ends(within: .seconds(600)))
struct RosterLimitCheckTests {
    private func told(_ key: Digest, isProved: Bool, revoked: SharedInstant? = nil) -> WriterOutcome {
        .device(
            StoredDevice(
                key: key, group: group, isProved: isProved, enrolled: 0, lastSeen: 0, revoked: revoked))
    }

    private func trouble(
        _ outcomes: [WriterOutcome], after: String, limit: Int, groups: Int = 10
    ) throws -> String? {
        var limits = ServerLimits()
        limits.groups = groups
        var check = RosterLimitCheck(limits)
        let roster = [RosterEntry(device: newcomer, isRevoked: false)]
        check.note(.member(MemberRequest(.group(.roster(roster)), by: founder, in: group, from: 5)))
        check.note(.prove(newcomer, group, from: 6))
        return check.note(
            outcomes, from: try registry(), to: try registry(after), limits: [group: limit])
    }

    @Test("proved and listed devices stay within their limits, and each change is told")
    func counting() throws {
        let isIn = "INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 1, 1, NULL);"
        let came = told(newcomer, isProved: true)
        #expect(try trouble([came], after: isIn, limit: 2) == nil)
        #expect(try trouble([came], after: isIn, limit: 1) != nil)
        #expect(try trouble([], after: isIn, limit: 2)?.contains("isn't told") == true)
        #expect(try trouble([told(newcomer, isProved: false)], after: isIn, limit: 2) != nil)
        let isListed = "INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 1, 0, NULL);"
        #expect(try trouble([told(newcomer, isProved: false)], after: isListed, limit: 1) == nil)
        #expect(try trouble([told(newcomer, isProved: false)], after: isListed, limit: 0) != nil)
        let another = "INSERT INTO groups VALUES (2, x'00000000000000000000000000000002', NULL);"
        #expect(try trouble([], after: another, limit: 1) == nil)
        #expect(try trouble([], after: another, limit: 1, groups: 1) != nil)
    }

    @Test("nobody is turned away while there is room") func turningAway() throws {
        let listed = WriterOutcome.answered(.refused(newcomer, Refusal(.quota, "")), to: 5)
        #expect(try trouble([listed], after: "", limit: 0) == nil)
        #expect(try trouble([listed], after: "", limit: 1) != nil)
        let came = WriterOutcome.ended(Refusal(.quota, ""), to: 6)
        #expect(try trouble([came], after: "", limit: 1) == nil)
        #expect(try trouble([came], after: "", limit: 2) != nil)
    }

    @Test("no request of a revoked device is handled") func shuttingOut() throws {
        func heard(_ outcomes: [WriterOutcome]) -> String? {
            var check = RevokedRequestCheck()
            check.note(.member(MemberRequest(.group(.revoke(newcomer)), by: newcomer, in: group, from: 6)))
            return check.note(outcomes)
        }
        let shutOut = told(newcomer, isProved: true, revoked: 5)
        let answer = WriterOutcome.answered(.wasRevoked(founder), to: 6)
        #expect(heard([answer, shutOut]) == nil)
        #expect(heard([shutOut, answer]) != nil)
        #expect(heard([shutOut, .answered(.handled, to: 6), .ended(Refusal(.revoked, ""), to: 6)]) == nil)
        #expect(heard([told(newcomer, isProved: true), answer]) == nil)
    }
}
