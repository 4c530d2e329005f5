import FocusColumns
import FocusCore
import SQLiteKit

/// The table `addresses`.
extension SQLiteTransaction {
    func addresses() throws -> [String] {
        var addresses: [String] = []
        try database.forEach("SELECT address FROM addresses ORDER BY place") { addresses.append($0[0]) }
        return addresses
    }

    func setAddresses(_ addresses: [String]) throws {
        try database.run("DELETE FROM addresses")
        for (place, address) in addresses.enumerated() {
            try database.run("INSERT INTO addresses (place, address) VALUES (?, ?)", place, address)
        }
    }
}
