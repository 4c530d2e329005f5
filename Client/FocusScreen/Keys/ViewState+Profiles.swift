import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront

// The profile in the settings form.
extension ViewState {
    /// Opens the field for a profile's name, and shows the names.
    mutating func editProfile(_ scene: Scene) -> Effect? {
        dialog = .field(.profile, TextField())
        message = ViewState.profileRule(scene)
        return nil
    }

    /// Returns the message while a profile's name is typed.
    static func profileRule(_ scene: Scene) -> String {
        let names = scene.profiles.map(\.name).joined(separator: ", ")
        return "Type one of these: \(names). For another name it asks whether to save the present lengths."
    }

    /// Returns the effect of a typed name: the profile with this name is used. If there is none, asks whether
    /// to save the present lengths under it.
    mutating func profile(_ text: String, _ scene: Scene) -> Effect? {
        guard let name = Profile.name(text) else {
            message = ViewText.sentence(.profileName)
            return nil
        }
        guard scene.profiles.named(name) != nil else {
            guard !Profile.isReserved(name) else {
                message = ViewText.sentence(.reservedProfile(name))
                return nil
            }
            let meant = Suggestion.sentence(for: name, among: scene.profiles.map(\.name))
            dialog = .question(.saveProfile(name, meant: meant))
            return nil
        }
        dialog = .none
        return .perform(.useProfile(name), .toBeAsked)
    }

    /// Asks whether to remove the saved profile that is in use.
    mutating func askToRemoveProfile(_ scene: Scene) {
        if let profile = scene.savedProfileInUse {
            dialog = .question(.removeProfile(profile.name))
        } else {
            message = "No saved profile is in use. Choose one first: Enter."
        }
    }
}

extension Scene {
    /// The saved profile that is in use, or the first of several; nil if there is none.
    var savedProfileInUse: Profile? {
        profiles.dropFirst(Profile.builtIn.count).first { $0.isInUse(settings) }
    }
}
