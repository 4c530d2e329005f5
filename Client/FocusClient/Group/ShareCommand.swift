import CommandLineKit
import FocusContact
import FocusDevice
import FocusFront
import FocusLink
import SystemKit

/// `focus share`: shares from this laptop, ends that, or prepares a move to another server.
struct ShareCommand {
    let request: ShareRequest

    func run(in context: CommandContext) throws(CommandFailure) {
        switch request {
        case .start(let name, let showsCode): try start(name, showsCode: showsCode, context)
        case .stop:
            let end = try mapOperationError { () throws(GroupOperationError) in
                try context.operations.stopSharing()
            }
            try context.show(SharingText.stopped(end))
        case .move(let address):
            let backup = try prepareMove(to: address, context)
            try context.show(backup.map { SharingText.moving(to: address, $0) } ?? [SharingText.staying])
        }
    }

    /// Prepares a move, or gives it up. If the server may run on the other machine, asks before that.
    private func prepareMove(
        to address: String, _ context: CommandContext
    ) throws(CommandFailure) -> String? {
        do throws(GroupOperationError) {
            return try context.operations.prepareMove(to: address, isConfirmed: false)
        } catch {
            guard error.cause == .sharing(.mayHaveMoved),
                let isConfirmed = context.console.confirms("\(SharingText.moveRisk) Give the move up?")
            else { throw error.asCommandFailure() }
            guard isConfirmed else { throw CommandFailure("Nothing was changed.", .notNow) }
        }
        return try mapOperationError { () throws(GroupOperationError) in
            try context.operations.prepareMove(to: address, isConfirmed: true)
        }
    }

    /// Shares, and prints the invite as the last line.
    private func start(
        _ name: String?, showsCode: Bool, _ context: CommandContext
    ) throws(CommandFailure) {
        if showsCode { try QRCode.requireProgram(context) }
        let shared = try mapOperationError { () throws(GroupOperationError) in
            try context.operations.share(called: name, cancellation: Cancellation())
        }
        try context.show(shared.sentences)
        if let namesake = shared.joined?.namesakeSentence(RenameCommand.remedy) {
            context.console.report(namesake)
        }
        if showsCode { try context.print(try QRCode.text(of: shared.invite.text, context)) }
        try shared.invite.show(in: context)
    }
}

/// QR codes, which the program `qrencode` makes.
enum QRCode {
    private static let program = "qrencode"

    /// Throws if the program isn't there.
    static func requireProgram(_ context: CommandContext) throws(CommandFailure) {
        guard ProgramPath.isFound(program, in: context.environment) else { throw missing }
    }

    /// Returns the code of a text as lines for a terminal. The text is in capitals, which make a smaller code.
    static func text(of text: String, _ context: CommandContext) throws(CommandFailure) -> String {
        let result: ProgramResult
        do throws(SystemError) {
            // The invite is a secret, so it isn't an argument, which other users could read.
            result = try context.programs.feed([program, "-t", "UTF8", "-i", "-m", "2"], Array(text.utf8))
        } catch {
            throw missing
        }
        guard result.status == 0 else {
            throw CommandFailure("\(program) made no QR code: \(result.sentence)")
        }
        return result.text
    }

    private static let missing = CommandFailure(
        "A QR code needs the program \(program), which isn't in any folder of PATH. Install its package, called \(program) on Debian and Ubuntu, or leave out --qr."
    )
}
