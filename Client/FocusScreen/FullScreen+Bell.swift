import CursesKit
import FocusContact
import FocusCore
import FocusDevice
import FocusStore

// The terminal's bell, for the end of a phase if nothing else makes a sound.
extension FullScreen {
    /// Rings if this laptop's sound is on and the view isn't hidden.
    func ring() {
        guard !isViewHidden, (try? LaptopSetting.sound.isOn(model.device.store)) == true else { return }
        screen.ring()
    }

    /// Rings if a phase has ended or begun by itself since the last call and no agent runs that would announce it.
    func ringAtPhaseEnd() {
        let (before, now) = (previousStatus, model.status)
        previousStatus = now
        guard !news.hasAgent else { return }
        let happenings = Happening.changes(
            from: before.state, at: before.now, to: now.state, at: now.now, pressedBy: .own)
        if happenings.contains(where: \.isRinging) { ring() }
    }
}
