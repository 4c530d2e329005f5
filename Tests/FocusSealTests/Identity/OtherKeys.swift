/// Identities with unsupported kinds of keys, made by other programs: `openssl genpkey` and `openssl req
/// -x509`.
enum OtherKeys {
    static let all = [p384, ed25519, rsa]

    private static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB9CH0fuYc17yoLJPht
        hZJZ9YmhDQ9PCrdrQ49dRLJjaPwnDth0ab0bA9F5Vk8ILZ2hZANiAARFgZkqz3xj
        Tv3NjQqQ4yecEvRueq180PeM8Yi5UnZqC5UVg846Bf9yL3ybq8u5jGJlHLuCbS/Y
        SPtPoPQWNArad9CDDAPmEIKowZqySeBA87lf9Xt5N4XH/FoH0/Mjrog=
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBdDCB+6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAXgwHhcNMjYx
        MTIyMTExMTI3WhcNMjYxMjIyMTExMTI3WjAMMQowCAYDVQQDDAF4MHYwEAYHKoZI
        zj0CAQYFK4EEACIDYgAERYGZKs98Y079zY0KkOMnnBL0bnqtfND3jPGIuVJ2aguV
        FYPOOgX/ci98m6vLuYxiZRy7gm0v2Ej7T6D0FjQK2nfQgwwD5hCCqMGaskngQPO5
        X/V7eTeFx/xaB9PzI66IozEwLzAfBgNVHSMEGDAWgBReaqLBwTEtLLav4Rg6Bcju
        w8UN1TAMBgNVHRMBAf8EAjAAMAoGCCqGSM49BAMCA2gAMGUCME8gZZBwyRufuaHg
        JPw2AgwH3A3EQCFtN35ompyetu92L5zOuvrtibashGHuWELzjgIxAOZbmSJzY3kJ
        5DOeGPBrYVaA0oUDcKPxMd7MPqgRKjyzpl5XXAJOSWcXNIFHWSXOJQ==
        -----END CERTIFICATE-----
        """

    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIBf2FEWwuuuWJfX3C0Y6FjvEnvf6ziOySd0lA2H9hWtt
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIH3MIGqoAMCAQICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAXgwHhcNMjYxMTIyMTEx
        MTI3WhcNMjYxMjIyMTExMTI3WjAMMQowCAYDVQQDDAF4MCowBQYDK2VwAyEAWxf1
        gp648H7OLcnDZ9N+DXRCoC3105HjssWPSC9KT1GjMTAvMB8GA1UdIwQYMBaAFEx9
        FpW4BxfoTB3dNXSN7WuZzGLJMAwGA1UdEwEB/wQCMAAwBQYDK2VwA0EAY7zbzp5H
        Ia7Vos8jBasddL4vO2UKIBrFqoFA2grH4GF6BYZ/yxaM2i734wbPlX706v1YAY9+
        3Coti854T8qrBQ==
        -----END CERTIFICATE-----
        """

    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALefs7bPzv/w83nN
        FW+3uoQmYy18QrNdoTkVUXIlT9GdaiwOVKyfTcc/cncvxIDlq3SRk8/mBk9PWogs
        7LT53pRGTURJOiKTlY+TA22qTJDwW1bVyZImHyzA6+ra/okGDQj1R9o0xb7XwFH1
        ET6XhvgxbYD5Dso9LSPHXR8tL8yVAgMBAAECgYA65QIjNGvUM1gkTN7/QhKUqCtP
        P3e1R+aaBHhnAAil1rNjBgWqiD3OFk+EYtHH9eIUNU0PdVu4vF7xJleVhD8bDDtU
        gzpSJ/rlgdIw3u9bs9PTbPvo2KsZ9YMX9H8CJoo6ftEm43/pr6ohe1L6mAMqUxAs
        u7eXREPSx6sCJ4jm0QJBAOf5bMecGM8I+WpyY1o+NEZUqTaeFBJ5shUGVWWdjY5B
        YGFc5yHpQ5jPNi6DNHPwnDZgofB1oHvNaJj+JuWbhksCQQDKpE+PE7fM3d/nrmIJ
        H5+05ThBmHJgw4ExHvPsQd6cCQcGQeLLdXt+nX+sY5XFG0aEyYyCxdj8n4LrwU3j
        96yfAkBU80Ki1sc/CkpMcRdxNNZv6xEMr1cqbOaKTId5bvkn30ksXplGEeZvT3LI
        FcRfsP2D7F9hb7IVpGNpo6ka7JmBAkEAm9zV9M7NyJ2/4ouWjD3usUy9gHapQxQd
        ApM0OrxPZOTsqjtzHds3KaQq14WhZQIds3TyxoM26tgl8v+z0WxnMQJBAOfdehLn
        2hz3bX9GcwR0aew+/8u1w4pxpm5R5ArRXOQzuFTM5P/HXdnqI7z7nMu+uOt7W2tC
        PIwE+7+HuPJ2iec=
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBvzCCASigAwIBAgIBATANBgkqhkiG9w0BAQsFADAMMQowCAYDVQQDDAF4MB4X
        DTI2MTEyMjExMTEyN1oXDTI2MTIyMjExMTEyN1owDDEKMAgGA1UEAwwBeDCBnzAN
        BgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAt5+zts/O//Dzec0Vb7e6hCZjLXxCs12h
        ORVRciVP0Z1qLA5UrJ9Nxz9ydy/EgOWrdJGTz+YGT09aiCzstPnelEZNREk6IpOV
        j5MDbapMkPBbVtXJkiYfLMDr6tr+iQYNCPVH2jTFvtfAUfURPpeG+DFtgPkOyj0t
        I8ddHy0vzJUCAwEAAaMxMC8wHwYDVR0jBBgwFoAU+vAOd9e9FMlP2X+zYNZDO9bK
        aQcwDAYDVR0TAQH/BAIwADANBgkqhkiG9w0BAQsFAAOBgQAVzFRnfXaykJiQvr5D
        YS8WF5KpQf5ivEx0fUhLxzwt7mwpUiJnb8Nk9zwYtPDpfm+qHXaOz+Hg2hWYvpAe
        XbDWDdZsOrSOmtZ8QUGkwnS5Eg6kUQZd6j6q8AJ+nUNCL/mMdPnW9f3Dwe0Q9qQI
        WEC8HKLU6afQouPY1O01H+iUUg==
        -----END CERTIFICATE-----
        """
}
