import FocusCore
import FocusStore

/// How often a log has each press that nobody else can have made: those with a label, which are numbered.
struct OnceCheck {
    private(set) var counts: [EventFingerprint: Int] = [:]

    mutating func note(_ event: Event) {
        if event.pressedLabel != nil { counts[EventFingerprint(event), default: 0] += 1 }
    }
}

extension World {
    /// No press is in the group's log twice.
    ///
    /// Where one may rightly be, nothing is asked: two copies of a laptop write the same anew, each under a name of its
    /// own; a server that has forgotten what a tail was moved away from may be given the tail beside its branch; and a
    /// host that lies about what stands under a name, by heads that aren't or events that it made up, has a laptop move a
    /// tail away that the group's log has as it was.
    func checkOnce(of group: Int, _ once: OnceCheck) {
        guard !plan.hasForgetfulServer, !server.everDeleted,
            !laptops.contains(where: { $0.group == group && $0.hasReauthored }),
            host?.hasLiedAboutNames != true
        else { return }
        var pressed = OnceCheck()
        for entry in ledger.entries where entry.group == group { pressed.note(entry.event) }
        for (fingerprint, count) in once.counts {
            guard let most = pressed.counts[fingerprint], count > most else { continue }
            require(false, "no press is there twice") {
                "\(fingerprint.label ?? "") of \(fingerprint.stamp.time.milliseconds) is there \(count) times"
            }
        }
    }
}
