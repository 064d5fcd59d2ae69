from depot.cli import main

raise SystemExit(main())
