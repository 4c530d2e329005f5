import Foundation
import SQLiteKit
import TestSupport
import Testing

@testable import FocusServerStore

@Suite("Room in a server's write-ahead log")
struct LogRoomOfStoresTests {
    @Test("is made by a server's writer, and by no other program that opens the store")
    func servingAlone() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("focusd.db")
        func logLength() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(file)-wal")
            return try #require(attributes[.size] as? Int)
        }
        _ = try SQLiteServerStore(at: file, access: .readWriteCreate)
        let others = try [.writing, .reading].map { try StoreLocation.folder.open(file: file, $0) }
        #expect(try logLength() < Database.preallocatedLogSize)
        let writer = try StoreLocation.folder.open(file: file, .serving(as: nil))
        #expect(try logLength() == Database.preallocatedLogSize)
        withExtendedLifetime((others, writer)) {}
    }
}
