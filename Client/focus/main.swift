import FocusClient

FocusProgram.main()
