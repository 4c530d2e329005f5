import CommandLineKit
import FocusCore
import FocusHTTP
import FocusStore
import FocusText

// What is pressed.
extension PageServer {
    /// Carries out a press, as the body of a request says it.
    func press(_ body: [UInt8]) -> HTTPResponse {
        let press: PagePress
        do throws(PagePress.Malformed) { press = try PagePress(parsing: body) } catch {
            return .refusal(400, error.sentence)
        }
        do throws(CommandFailure) {
            switch press {
            case .interaction(let interaction, let sure):
                if case .add(let phase) = interaction { try device.checkNew(phase) }
                return try perform(interaction, sure ? .always : .toBeAsked)
            case .relabel(let entry, let label):
                return try perform(
                    .relabel(try device.entries().record(named: entry, else: .usage).name, label))
            case .remove(let entry):
                return try perform(.remove(try device.entries().record(named: entry, else: .usage).name))
            case .switchOwn(let setting, let isOn):
                try device.using { device throws(StoreError) in try setting.set(isOn, device.store) }
                show()
                return HTTPResponse(204)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Carries out what a person asks for, and says what it came to where the state doesn't.
    func perform(
        _ interaction: Interaction, _ consent: UndoConsent = .toBeAsked
    ) throws(CommandFailure) -> HTTPResponse {
        let model = try currentModel()
        do throws(PerformFailure) {
            let performed = try model.perform(interaction, consent: consent)
            guard let did = (try? performed.tookBackSentence(device)) ?? nil else { return HTTPResponse(204) }
            return .json(200, JSON.object([JSON.Member("did", .string(did))]).description)
        } catch {
            return .failure(error, device.home)
        }
    }
}
