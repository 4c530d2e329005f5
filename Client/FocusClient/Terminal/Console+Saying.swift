import FocusDevice
import FocusLink
import FocusWords

extension Console {
    /// Says what a person should know.
    func say(_ notices: [SyncNotice]) { for notice in notices { say(notice.sentence) } }

    /// Says what is the matter, one line each.
    func say(_ troubles: [Trouble]) { for trouble in troubles { say(trouble.sentence) } }
}
