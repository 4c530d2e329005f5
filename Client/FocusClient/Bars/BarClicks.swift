import CommandLineKit
import FocusAgent
package import FocusCore
import FocusDevice
import FocusNet
import FocusText
import FocusWords
import SystemKit

/// Carries out the clicks that come on standard input, one a line, until it ends.
final class BarClicks {
    private let model: DeviceModel
    private let console: Console
    private var watch: DescriptorWatch?
    private var lines = LineBuffer(limit: 1 << 16)

    /// Whether clicks come: i3blocks 1.5 tells its commands the block's properties. One before that leaves them what
    /// i3bar tells itself, so that reading it would take the clicks on all blocks away.
    static func come(in environment: Environment) -> Bool { environment["format"] == "json" }

    /// On the model's loop only. Where standard input can't be watched, as where it is no pipe, nothing comes.
    init(for model: DeviceModel, on loop: EventLoop, _ console: Console) {
        self.model = model
        self.console = console
        watch = try? loop.watch(path: path(ofDescriptor: STDIN_FILENO), for: .readable) { [weak self] in
            self?.bytesCame()
        }
    }

    private func bytesCame() {
        guard let watch else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { read(watch.descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            watch.cancel()
            self.watch = nil
            return
        }
        lines.append(bytes.prefix(count))
        while let line = lines.next() {
            if let click = BarClick(line) { perform(click) }
        }
    }

    private func perform(_ click: BarClick) {
        do throws(PerformFailure) {
            try model.perform(click.interaction)
        } catch {
            console.say(CommandFailure(error, model.device.home).message)
        }
    }
}

/// A click on a block of i3blocks: a line on standard input with all of the block's variables, as JSON.
package enum BarClick: Int, Hashable, Sendable {
    case left = 1
    case middle = 2
    case right = 3

    /// The click that a line tells of; nil where it tells of another button, or of none.
    package init?(_ line: some Sequence<UInt8>) {
        guard let json = try? JSON(parsing: line) else { return nil }
        switch json["button"] {
        case .number(let number), .string(let number):
            guard let button = Int(number), let click = BarClick(rawValue: button) else { return nil }
            self = click
        default: return nil
        }
    }

    /// What it asks for.
    package var interaction: Interaction {
        switch self {
        case .left: .toggle
        case .middle: .stop
        case .right: .skip
        }
    }
}
