import CursesKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusStore

// The terminal's bell, where nothing else makes a sound as a phase ends.
extension FullScreen {
    /// Rings, where this laptop is to make a sound.
    func ring() {
        guard !isAway, (try? LaptopSetting.sound.isOn(model.device.store)) == true else { return }
        screen.ring()
    }

    /// Rings where a phase has ended since it last looked, and no agent runs to tell of it.
    func ringAtPhaseEnd() {
        let (before, now) = (heard, model.status)
        heard = now
        guard !news.hasAgent else { return }
        let happenings = Happening.changes(
            from: before.state, at: before.now, to: now.state, at: now.now, pressedBy: .own)
        if happenings.contains(where: \.isPhaseEndByTime) { ring() }
    }
}
