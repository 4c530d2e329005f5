package import FocusCore
import SystemKit

/// The ring of the icon: the time left of the phase, in steps that can be seen.
package struct TrayRing: Hashable, Sendable {
    /// The theme with the ring's colour.
    package let theme: Presentation.Theme
    /// The number of steps of the circle that are left, from the top clockwise. It is zero if no phase has
    /// begun.
    package let steps: Int
    /// Whether the time runs. If it doesn't, the ring is paler.
    package let isRunning: Bool
    /// Whether work is in overtime. The ring is then whole, in dashes, as on the page.
    package let isOvertime: Bool

    /// The number of steps of the whole circle. On 22 pixels, a step is about 2 pixels of the ring.
    package static let circle = 32
    /// The number of dashes of the ring in overtime.
    private static let dashes = 8.0
    /// The part of a dash and the gap after it that is the dash, as on the page.
    private static let dashShare = 0.7
    /// The sizes of the icon's pictures, in pixels. A panel takes the best of them.
    package static let sizes = [22, 32, 48]

    /// Makes the ring of a presentation.
    package init(_ shown: Presentation) {
        theme = shown.theme
        isRunning = shown.isRunning
        isOvertime = shown.overtime != nil
        guard !isOvertime else {
            steps = TrayRing.circle
            return
        }
        let (left, whole) = TrayRing.parts(of: shown)
        guard shown.showsStop, !shown.isWaiting, whole > .zero else {
            steps = 0
            return
        }
        // A phase that isn't over has at least one step.
        let scaled = left.inMilliseconds * Int64(TrayRing.circle)
        steps = Int((scaled + whole.inMilliseconds - 1) / whole.inMilliseconds)
    }

    /// Returns the time until a running phase has a step less. Nil if none runs, or if it is in overtime.
    package static func untilNextStep(_ shown: Presentation) -> Duration? {
        guard shown.isRunning, !shown.isWaiting, shown.overtime == nil else { return nil }
        let (left, whole) = parts(of: shown)
        let next = Int64(max(0, TrayRing(shown).steps - 1))
        return left - .milliseconds(whole.inMilliseconds * next / Int64(circle))
    }

    /// Returns the time left and the phase's whole time. Both are whole milliseconds, and at least zero.
    private static func parts(of shown: Presentation) -> (left: Duration, whole: Duration) {
        // No phase is longer than a year, so no product overflows.
        let limit: Duration = .seconds(366 * 86_400)
        let left = Duration.milliseconds(min(limit, max(.zero, shown.remaining)).inMilliseconds)
        return (left, left + .milliseconds(min(limit, max(.zero, shown.elapsed)).inMilliseconds))
    }
}

extension TrayRing {
    /// Returns the picture of the ring, `size` pixels wide and high: row by row, four bytes for each pixel, which
    /// are its opacity, red, green and blue. The colours aren't multiplied by the opacity.
    package func picture(size: Int) -> [UInt8] {
        let (red, green, blue) = theme.rgb
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size * size * 4)
        for row in 0..<size {
            for column in 0..<size {
                bytes += [opacity(column, row, of: Double(size)), red, green, blue]
            }
        }
        return bytes
    }

    /// Returns a pixel's opacity: the mean of 16 points in it.
    private func opacity(_ column: Int, _ row: Int, of size: Double) -> UInt8 {
        let outer = size / 2 - 0.5
        // The width of the page's icon.
        let inner = outer * 2 / 3
        var sum = 0.0
        for point in 0..<16 {
            let x = Double(column) + (Double(point % 4) + 0.5) / 4 - size / 2
            let y = Double(row) + (Double(point / 4) + 0.5) / 4 - size / 2
            let radius = (x * x + y * y).squareRoot()
            guard radius >= inner, radius <= outer else { continue }
            sum += isLeft(x, y) ? (isRunning ? 1 : 0.6) : 0.25
        }
        return UInt8((sum / 16 * 255).rounded())
    }

    /// Whether a point, seen from the ring's centre, is on the part of the circle that is left.
    private func isLeft(_ x: Double, _ y: Double) -> Bool {
        if steps <= 0 { return false }
        if isOvertime {
            let dash = (atan2(y, x) / (2 * Double.pi) + 1) * TrayRing.dashes
            return dash - dash.rounded(.down) < TrayRing.dashShare
        }
        if steps >= TrayRing.circle { return true }
        let angle = 2 * Double.pi * Double(steps) / Double(TrayRing.circle)
        // Positive if the point is beyond the end, within half a circle.
        let beyond = sin(angle) * y + cos(angle) * x
        return steps <= TrayRing.circle / 2 ? x >= 0 && beyond <= 0 : !(x < 0 && beyond > 0)
    }
}
