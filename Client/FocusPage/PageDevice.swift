import CommandLineKit
import FocusContact
import FocusCore
package import FocusDevice
import FocusFront
import FocusSeal
import FocusStore
import FocusText

/// The device behind the pages: it handles their requests, and computes the state that they show. The agent's
/// page server has one, and so has a device in a browser. It belongs to one thread.
package final class PageDevice {
    let device: Device
    private let time: any Scheduler
    let recordSuspension: () -> Void
    let announceChanges: () -> Void
    private let makesSound: () -> Bool
    /// Called with each new state, for all pages that follow.
    package var didChange: (PageState) -> Void = { _ in }
    /// Whether the device is joining a group, or begins to share.
    package var isJoining = false {
        didSet { show() }
    }

    // The model, and the state last sent to pages; nil while no page follows.
    private var model: ModelCore?
    private var sentState: PageState?
    /// Whether `show` is scheduled.
    private var isShowDue = false

    /// The device behind pages.
    ///
    /// - Parameters:
    ///   - time: The clock and alarms of the device's thread.
    ///   - recordSuspension: Lets the agent store a suspension that has just ended, before something is pressed.
    ///   - announceChanges: Tells the agent that something was pressed on a page.
    ///   - makesSound: Returns whether the agent makes the bell's sound, so that pages don't.
    package init(
        _ device: Device, _ time: any Scheduler, recordSuspension: @escaping () -> Void,
        announceChanges: @escaping () -> Void, makesSound: @escaping () -> Bool = { false }
    ) {
        self.device = device
        self.time = time
        self.recordSuspension = recordSuspension
        self.announceChanges = announceChanges
        self.makesSound = makesSound
    }

    // MARK: - States

    /// Begins to compute states, because a page follows. Returns the state now.
    package func follow() throws(PageError) -> PageState {
        let model = try currentModel()
        defer { endUnlessFollowed(model) }
        let state = try state(of: model)
        if self.model == nil {
            model.didChange = { [pages = Weak(wrappedValue: self)] _ in pages.wrappedValue?.showSoon() }
            (self.model, sentState) = (model, state)
        }
        return state
    }

    /// Ends computing states, because no page follows.
    package func unfollow() {
        model?.end()
        (model, sentState) = (nil, nil)
    }

    /// Rereads the log, which may have changed, and the device's settings, which aren't part of the model.
    package func refresh() {
        model?.refresh()
        show()
    }

    /// Shows the state to all pages, unless they already show it by counting down themselves.
    func show() {
        guard let model, let state = try? state(of: model), !(sentState.map(state.isShown) ?? false) else {
            return
        }
        sentState = state
        didChange(state)
    }

    /// Shows the state in a later turn of the thread. Several changes at once are shown once.
    private func showSoon() {
        guard !isShowDue else { return }
        isShowDue = true
        time.schedule(after: .zero) { [pages = Weak(wrappedValue: self)] in
            guard let pages = pages.wrappedValue else { return }
            pages.isShowDue = false
            pages.show()
        }
    }

    /// Returns the model, which is kept while a page follows; otherwise one for a single press.
    func currentModel() throws(PageError) -> ModelCore {
        if let model { return model }
        return try mapError(PageError.device) { () throws(DeviceFailure) in
            try ModelCore(device, time, announceChanges: announceChanges)
        }
    }

    /// Ends a model that was made for a single press.
    func endUnlessFollowed(_ model: ModelCore) {
        if model !== self.model { model.end() }
    }

    private func state(of model: ModelCore) throws(PageError) -> PageState {
        try mapError(PageError.device) { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in
                let now = try device.now()
                let own = try LaptopSetting.values(device.store)
                let status = model.status.at(now)
                return PageState(
                    status, own: own, troubles: try device.troubles(status.state, at: now),
                    canRedo: try device.lastUndo(status.state) != nil, isJoining: isJoining,
                    agentRings: makesSound(), problem: model.failure?.explanation,
                    awake: device.clocks.awake()
                )
            }
        }
    }

    // MARK: - Requests

    /// Handles a request as far as that needs no waiting. Returns the answer, or the work that is left.
    package func step(_ request: PageRequest) throws(PageError) -> PageStep {
        switch request.route {
        case .press: return .answer(try press(request))
        case .log: return .document(try PageDocuments.log(request))
        case .statistics: return .document(try PageDocuments.statistics(request))
        case .labels:
            return .document { (device, cache) throws(PageError) in try PageDocuments.labels(device, cache) }
        case .devices: return .answer(.document(try PageDocuments.devices(device)))
        case .device: return try change(request.body)
        case .invite: return .operation(try invite(request.body))
        case .share:
            guard !isJoining else { throw .isJoining }
            return .operation(.share)
        case .join: return try join(request.body)
        case .leave: return .operation(try leave(request.body))
        case nil: return .unknown
        }
    }

    /// Handles a request about a device of the group.
    private func change(_ body: [UInt8]) throws(PageError) -> PageStep {
        switch try mapError(
            PageError.malformed, { () throws(PagePress.Malformed) in try DevicePress(parsing: body) })
        {
        case .rename(let name): return .answer(try perform(.nameDevice(name)))
        case .revoke(let words, let revokesOnlyNamed):
            return .operation(.revoke(words, revokesOnlyNamed: revokesOnlyNamed))
        case .accept(let word): return .operation(.accept(word))
        case .readmit(let word): return .operation(.readmit(word))
        }
    }

    /// Handles a request for an invite.
    private func invite(_ body: [UInt8]) throws(PageError) -> PageOperation {
        let page = try mapError(PageError.malformed) { () throws(PagePress.Malformed) in
            try PagePress.Fields(parsing: body).optionalText("page")
        }
        return .invite(page: page)
    }

    /// Handles a request to join a group, or to give that up. If the person has to be asked first, only throws
    /// the question.
    private func join(_ body: [UInt8]) throws(PageError) -> PageStep {
        let (text, takesAlong): (String, Bool?)
        switch try mapError(
            PageError.malformed, { () throws(PagePress.Malformed) in try JoinPress(parsing: body) })
        {
        case .giveUp: return .giveUpJoining
        case .join(let given, let choice): (text, takesAlong) = (given, choice)
        }
        guard !isJoining else { throw .isJoining }
        try mapError(PageError.device) { () throws(DeviceFailure) in try device.requireNoGroup() }
        let invite = try mapError(PageError.command) { () throws(CommandFailure) in
            try Invite(handedIn: text)
        }
        let question =
            takesAlong == nil
            ? try mapError(PageError.device) { () throws(DeviceFailure) in
                try device.attempt { device throws(StoreError) in try SoloHistoryQuestion(invite, device) }
            } : nil
        if let question { throw .needsConfirmation(.takeAlong(question)) }
        // Without a question, nobody agreed to show work to the group. So work that is recorded here before
        // the join takes effect is left behind.
        return .operation(.join(invite, takesAlong ?? false ? .takeAlong : .leaveBehind))
    }

    /// Handles a request to leave the group. Throws the question if the person hasn't confirmed it.
    private func leave(_ body: [UInt8]) throws(PageError) -> PageOperation {
        let (isSure, isUntold) = try mapError(PageError.malformed) { () throws(PagePress.Malformed) in
            let fields = try PagePress.Fields(parsing: body)
            return (try fields.flag("sure"), try fields.flag("untold"))
        }
        try mapError(PageError.device) { () throws(DeviceFailure) in try device.requireGroup() }
        guard isSure else {
            let (isOnlyMember, isServer) = try mapError(PageError.device) { () throws(DeviceFailure) in
                try device.attempt { device throws(StoreError) in
                    (try device.isOnlyMember(), try device.isSharingGroup())
                }
            }
            throw .needsConfirmation(.leave(isOnlyMember: isOnlyMember, isServer: isServer))
        }
        return .leave(isUntold: isUntold)
    }
}

/// The answer to a page's request, or the work that is left before there is one.
package enum PageStep {
    case answer(PageAnswer)
    /// The maker of a document, which takes long if the history is long.
    case document(PageDocuments.Maker)
    /// A group operation, which has an answer when it is over.
    case operation(PageOperation)
    /// The operation that joins or shares has to end, if there is one. It gets an answer of its own.
    case giveUpJoining
    /// There is no such route.
    case unknown
}
