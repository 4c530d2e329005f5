import FocusContact
import FocusFront
import FocusLink

/// The check of the server that this laptop shares.
struct SharingCheck {
    let sharing: ServerSharing

    /// The findings; empty if the laptop doesn't share.
    var findings: [Finding] {
        let record = sharing.server.record
        if record == nil, sharing.server.isRunning {
            return [
                .wrong(
                    .sharing,
                    "This laptop's server runs, but the file that says so can't be read, is damaged or gone.",
                    remedy: "'focus share' writes it again, or says why it can't.")
            ]
        }
        guard let record, record.isOn else { return [] }
        guard sharing.server.isRunning else {
            return [
                .wrong(
                    .sharing, "This laptop shares the session, and its server doesn't run.",
                    remedy:
                        "'focus share' starts it, or says why it can't; \(SharingFailure.place(sharing.log)) has its messages. After each end it is started again within a minute. 'focus share --stop' ends sharing."
                )
            ]
        }
        let problems = sharing.problems()
        guard problems.isEmpty else { return problems.map { .note(.sharing, $0.sentence) } }
        return [
            .fine(
                .sharing,
                "The server that this laptop shares runs, at port \(record.port). \(SharingText.otherFirewall(record.port))"
            )
        ]
    }
}
