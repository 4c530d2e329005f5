import CommandLineKit
import FocusContact
package import FocusCore
import FocusDevice
import FocusFront
import FocusNet
import FocusText
import SystemKit

/// Performs the clicks of i3blocks that arrive on standard input, one per line, until the input ends.
final class BarClicks {
    private let model: DeviceModel
    private let console: Console
    /// The watch of standard input; nil if it can't be watched, or has ended.
    private var watch: DescriptorWatch?
    /// The received bytes of the line that isn't complete yet; at most 64 KiB.
    private var lines = LineBuffer(limit: 1 << 16)

    /// Whether i3blocks sends clicks on standard input. Version 1.5 does, and sets the block's properties as
    /// environment variables. An older version lets its blocks share i3bar's input, so reading it would take
    /// other blocks' clicks.
    static func areSent(in environment: Environment) -> Bool { environment["format"] == "json" }

    /// Must be used on the model's loop. If standard input can't be watched, for example because it isn't a
    /// pipe, no clicks arrive.
    init(for model: DeviceModel, on loop: EventLoop, _ console: Console) {
        self.model = model
        self.console = console
        watch = try? loop.watch(path: path(ofDescriptor: STDIN_FILENO), for: .readable) { [weak self] in
            self?.readInput()
        }
    }

    private func readInput() {
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
            console.report(CommandFailure(error, model.device.home).message)
        }
    }
}

/// A click on a block of i3blocks. It arrives on standard input as a line of JSON with the block's variables.
package enum BarClick: Int, Hashable, Sendable {
    case left = 1
    case middle = 2
    case right = 3

    /// Parses the click on a line; nil if the line has another button or none.
    package init?(_ line: some Sequence<UInt8>) {
        guard let json = try? JSON(parsing: line) else { return nil }
        switch json["button"] {
        case .number(let number), .string(let number):
            guard let button = Int(number), let click = BarClick(rawValue: button) else { return nil }
            self = click
        default: return nil
        }
    }

    /// The interaction that the click performs.
    package var interaction: Interaction {
        switch self {
        case .left: .toggle
        case .middle: .stop
        case .right: .skip
        }
    }
}
