import FocusCore
import FocusSync
import Testing

/// The sessions of both sides, connected to each other in virtual time.
@Suite("Devices and their server")
struct PairTests {
    /// Expects equal logs everywhere after a calm. No press may be lost, and none may be there twice, unless
    /// `mayRepeat` is true.
    private func expectEqual(
        _ world: World, pressed: [[UInt8]], mayRepeat: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let server = world.server.log
        for device in world.devices {
            #expect(device.log.vector == server.vector, sourceLocation: sourceLocation)
            #expect(device.isIdle, sourceLocation: sourceLocation)
            #expect(device.stops == [], sourceLocation: sourceLocation)
            for (replica, head) in server.vector.heads {
                #expect(device.acknowledged[replica] == head.seq, sourceLocation: sourceLocation)
            }
        }
        #expect(Set(pressed).subtracting(server.bodies) == [], sourceLocation: sourceLocation)
        #expect(mayRepeat || server.bodies.count == pressed.count, sourceLocation: sourceLocation)
    }

    @Test("an empty server has the whole log after the first device has connected")
    func emptyServer() {
        let world = World(seed: 1)
        let device = world.addDevice()
        let pressed = (0..<500).map { _ in device.press() }
        device.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(device.returns == 1)
    }

    @Test("a press reaches every other device as a push")
    func livePush() {
        let world = World(seed: 2)
        for _ in 0..<4 { world.addDevice().goOnline() }
        world.run(10_000_000)
        let pressed = world.devices.map { $0.press() }
        world.run(200_000)
        expectEqual(world, pressed: pressed)
        // Each event is pushed to each device except its author, and only once.
        #expect(world.server.pushes == 4 * 3)
    }

    @Test("a server that went back to an older log gets the rest from whoever has it")
    func restoredServer() {
        let world = World(seed: 3)
        let first = world.addDevice()
        let second = world.addDevice()
        first.goOnline()
        second.goOnline()
        var pressed = (0..<20).map { _ in first.press() }
        world.run(5_000_000)
        let backup = world.server.log
        pressed += (0..<20).map { _ in first.press() } + (0..<20).map { _ in second.press() }
        world.run(5_000_000)
        first.goOffline()
        world.server.restore(backup)
        world.calm()
        #expect(world.server.log.vector == second.log.vector)
        first.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
    }

    @Test("what a device presses on an older copy of its log becomes a branch")
    func restoredDevice() {
        let world = World(seed: 4)
        let device = world.addDevice()
        let other = world.addDevice()
        device.goOnline()
        other.goOnline()
        var pressed = (0..<30).map { _ in device.press() }
        world.run(5_000_000)
        let backup = device.log
        pressed += (0..<30).map { _ in device.press() }
        world.run(5_000_000)
        device.goOffline()
        device.log = backup
        pressed += (0..<10).map { _ in device.press() }
        device.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(device.moves == 1)
        #expect(world.server.log.vector.heads.count == 2)
    }

    @Test("a device that lost its last presses gets them back from the server")
    func restoredShorterDevice() {
        let world = World(seed: 5)
        let device = world.addDevice()
        device.goOnline()
        let replica = device.replica
        var pressed = (0..<10).map { _ in device.press() }
        world.run(5_000_000)
        let backup = device.log
        pressed += (0..<10).map { _ in device.press() }
        world.run(5_000_000)
        device.goOffline()
        device.log = backup
        device.goOnline()
        world.run(5_000_000)
        pressed.append(device.press())
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(device.replica != replica)
    }

    @Test("nothing is lost where two copies of a device press at once", arguments: [false, true])
    func clone(offlineFirst: Bool) {
        let world = World(seed: 6)
        let device = world.addDevice()
        var pressed = (0..<10).map { _ in device.press() }
        device.goOnline()
        world.run(5_000_000)
        let twin = world.clone(device)
        if offlineFirst { device.goOffline() } else { twin.goOnline() }
        world.run(5_000_000)
        for _ in 0..<5 {
            pressed.append(device.press())
            pressed.append(twin.press())
            world.run(3_000)
        }
        device.goOnline()
        twin.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(device.moves + twin.moves >= 1)
    }

    @Test(
        "two copies of a device that share what they may write come to rest, and lose nothing",
        arguments: UInt64(12)..<32)
    func cloneAtTheLimit(seed: UInt64) {
        let world = World(seed: seed)
        let device = world.addDevice()
        var pressed = (0..<3).map { _ in device.press() }
        device.goOnline()
        world.run(5_000_000)
        let twin = world.clone(device)
        twin.goOnline()
        world.run(5_000_000)
        // The device that uploads first uses up the rate of both. The other is refused before anything is
        // compared.
        world.server.rate = 1
        pressed += [device.press(), twin.press()]
        world.run(200_000)
        for _ in 0..<4 {
            pressed += [device.press(), twin.press()]
            world.run(300_000)
        }
        world.run(60_000_000)
        let uploads = world.server.uploads
        // Each press is uploaded once. Refused presses are uploaded once a second.
        #expect(uploads < 8 * pressed.count)
        world.calm()
        #expect(world.server.uploads == uploads)
        for laptop in [device, twin] {
            #expect(laptop.isIdle)
            #expect(laptop.log.vector == world.server.log.vector)
        }
        let bodies = world.server.log.bodies
        #expect(bodies.count == pressed.count)
        #expect(Set(bodies) == Set(pressed))
    }

    @Test("what was pressed with a clock 3 hours ahead is re-authored, and harms nobody's clock")
    func clockAhead() {
        let world = World(seed: 7)
        let device = world.addDevice(clockError: .seconds(3 * 3_600))
        let other = world.addDevice()
        other.goOnline()
        var pressed = (0..<10).map { _ in other.press() }
        pressed += (0..<10).map { _ in device.press() }
        world.run(5_000_000)
        device.goOnline()
        world.calm()
        pressed.append(device.press())
        pressed.append(other.press())
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(device.reauthored == 10)
        let now = World.epochStart + world.now
        #expect(world.server.log.latest.time.milliseconds <= now / 1000)
    }

    @Test("a device enrols with an invite, syncs, and needs the invite no more")
    func enrolment() {
        let world = World(seed: 8)
        let device = world.addDevice()
        world.server.members = []
        device.goOnline()
        world.run(1_000_000)
        #expect(
            device.closings.contains { closing in
                if case .refused(let refusal) = closing { refusal.code == .unknownDevice } else { false }
            })
        device.goOffline()
        device.enrolment = Enrol(token: [1, 2, 3], kind: .join)
        device.goOnline()
        world.run(1_000_000)
        #expect(
            device.closings.contains { closing in
                if case .refused(let refusal) = closing { refusal.code == .tokenInvalid } else { false }
            })
        world.server.tokens = [[1, 2, 3]]
        let pressed = [device.press()]
        world.calm()
        #expect(device.enrolment == nil)
        expectEqual(world, pressed: pressed)
        device.goOffline()
        device.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
    }

    @Test("a long log goes through in windows")
    func longLog() {
        let world = World(seed: 9)
        let device = world.addDevice()
        let pressed = (0..<20_000).map { _ in device.press() }
        device.goOnline()
        world.calm()
        let other = world.addDevice()
        other.goOnline()
        world.calm()
        expectEqual(world, pressed: pressed)
        #expect(other.moves == 0)
    }

    @Test("with lines cut at any byte everybody has the same in the end", arguments: UInt64(100)..<140)
    func chaos(seed: UInt64) {
        print("seed \(seed)")
        let world = World(seed: seed)
        world.cuts = 60
        var pressed: [[UInt8]] = []
        for _ in 0..<Int.random(in: 2...4, using: &world.random) { world.addDevice().goOnline() }
        var backups = [world.server.log]
        var restores = 0
        for _ in 0..<120 {
            let device = world.devices[Int.random(in: 0..<world.devices.count, using: &world.random)]
            switch Int.random(in: 0..<40, using: &world.random) {
            case 0: device.goOffline()
            case 1...3: device.goOnline()
            case 4: backups.append(world.server.log)
            case 5:
                backups = Array(backups.prefix(Int.random(in: 1...backups.count, using: &world.random)))
                world.server.restore(backups[backups.count - 1])
                restores += 1
            case 6 where world.devices.count < 6: _ = world.clone(device)
            default: pressed.append(device.press())
            }
            world.run(Int64.random(in: 0...500_000, using: &world.random))
        }
        for device in world.devices { device.goOnline() }
        world.calm()
        // Suppose a server forgets twice the events that made devices move a tail. Then a device that hasn't
        // moved the tail may upload it, beside its branch.
        expectEqual(world, pressed: pressed, mayRepeat: restores > 1)
    }
}
