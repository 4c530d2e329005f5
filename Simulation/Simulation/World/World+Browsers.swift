import FocusCore
import FocusDevice

// The steps that a browser performs in another way than a laptop with programs.
extension World {
    /// Performs the step if a browser has another way to do so than a laptop. Returns whether it has.
    func applyToBrowser(_ step: Step) -> Bool {
        switch step.kind {
        case .kill(let index, let changes, let duration) where changes > 0:
            guard let browser = laptop(index)?.browser else { return false }
            browser.kill(afterStores: changes, for: duration)
        case .fillDisk(let index, let duration):
            guard let laptop = laptop(index), let browser = laptop.browser else { return false }
            browser.fill()
            later(duration) {
                browser.mend()
                laptop.start()
            }
        case .wipeBrowser(let index, let other, let isRevoked):
            guard let laptop = laptop(index), let browser = laptop.browser, let other = self.laptop(other)
            else { return true }
            wipe(laptop, browser, by: other, isRevoked: isRevoked)
        // A browser has no disk to lose or to copy, and its page doesn't do the others.
        case .losePower(let index, _, _), .backUp(let index), .restore(let index), .acceptClock(let index),
            .joinWithWrongKey(let index, _):
            return laptop(index)?.browser != nil
        case .clone(let index, let copy):
            return laptop(index)?.browser != nil || laptop(copy)?.browser != nil
        default: return false
        }
        return true
    }

    /// Deletes the data of the page, and lets it join its group again by an invite of another laptop.
    private func wipe(
        _ laptop: Laptop, _ browser: SimulatedBrowser, by other: Laptop, isRevoked: Bool
    ) {
        if isRevoked, !laptop.isOutside { revoke(laptop, by: other) }
        forgetPressesOnly(on: laptop)
        laptop.stop(losingPower: false)
        browser.wipe()
        laptop.forgetDisk()
        laptop.start()
        later(.seconds(2)) { [unowned self] in
            if laptop.isOutside { join(laptop, by: other, .takeAlong) }
        }
    }
}
