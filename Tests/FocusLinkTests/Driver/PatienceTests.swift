import CommandLineKit
import FocusCore
import FocusSync
import TestSupport
import Testing

@testable import FocusFront
@testable import FocusLink

@Suite struct PatienceTests {
    private func end(_ retry: Refusal.Retry) -> SyncEnd {
        .closed(.refused(Refusal(.busy, "it has reached its limit of connections", retry: retry)))
    }

    @Test("a laptop waits as long as the server asks, and no longer than 15 minutes whatever it asks")
    func patience() {
        #expect(end(.after(30_000)).patience == 30_000)
        #expect(end(.after(.milliseconds(UInt32.max))).patience == 900_000)
        #expect(end(.never).patience == 0)
        #expect(SyncEnd.unreachable(.network("it is away")).patience == 0)
        #expect(SyncEnd.closed(.silence).patience == 0)
    }

    @Test("a server that says that it ends was shut down, and one that is busy turns the laptop away")
    func shutDown() {
        func obstacle(_ code: RefusalCode) -> ServerObstacle? {
            SyncEnd.closed(.refused(Refusal(code, ""))).obstacle
        }
        #expect(obstacle(.shuttingDown) == .shutDown && obstacle(.busy) == .turnedAway)
        #expect(ServerObstacle.shutDown.reason == "the server was shut down")
    }

    @Test("what the server refuses because of a limit is said with its reason, and when to try again")
    func explanations() {
        for (wait, text): (Duration, String) in [
            (30_000, "in 30s"), (500, "in 1s"), (0, "in a while"), (.milliseconds(UInt32.max), "in 15m"),
        ] {
            #expect(
                end(.after(wait)).explanation
                    == "The server is busy: it has reached its limit of connections. Try again \(text).")
        }
        #expect(
            Refusal(.quota, "the group has too many devices").explanation
                == "The server refused: the group has too many devices. Its operator can raise the limit.")
        #expect(Refusal(.tokenExpired, "").explanation == "This invite has expired. Ask for a new one.")
    }

    @Test(
        "of what was asked of a server that can't be reached, it is said what holds on this laptop and what doesn't"
    )
    func standings() {
        func trouble(_ standing: GroupOperationError.Standing) -> GroupOperationError {
            GroupOperationError(.ended(.unreachable(.network("it is away"))), standing)
        }
        for (failure, outcome) in [
            (trouble(.unsynced).asCommandFailure(), "Changes are kept here and sent when it can."),
            (trouble(.withoutInvite).asCommandFailure(), "No invite was made."),
            (trouble(.outside).asCommandFailure(), "This laptop hasn't joined."),
            (
                trouble(.decidedHere).asCommandFailure(shuttingOut: ["desk"]),
                "desk: shut out on this laptop; the server and the others hear of it with the next sync."
            ),
            (
                trouble(.decidedHere).asCommandFailure(accepting: "desk"),
                "desk: accepted on this laptop; it gets the group's key with the next sync."
            ),
        ] {
            let sentence = "The server can't be reached: it is away. \(outcome)"
            #expect(failure == CommandFailure(sentence, .unreachable))
        }
    }

    @Test("what a server says is one line") func oneLine() {
        let refusal = Refusal(.quota, "no\n2026-01-01 connected\tas you\u{1B}[2J")
        #expect(
            refusal.explanation
                == "The server refused: no 2026-01-01 connected as you\u{FFFD}[2J. Its operator can raise the limit."
        )
        for code in UInt8.min ... .max {
            let refusal = Refusal(RefusalCode(rawValue: code), "a\nb", retry: .after(1))
            #expect(!refusal.explanation.contains("\n"))
        }
    }

    @Test("where the versions don't go together, the laptop says which program is to be upgraded")
    func versions() {
        let two = ProtocolVersion(rawValue: 2)
        let sentence = "The server and this laptop speak different versions of the protocol."
        #expect(
            SyncEnd.closed(.version(VersionMismatch(client: [.one], server: [two]))).explanation
                == "\(sentence) Upgrade this laptop's 'focus'.")
        #expect(
            SyncEnd.closed(.version(VersionMismatch(client: [two], server: [.one]))).explanation
                == "\(sentence) Upgrade the server's 'focusd'.")
    }
}
