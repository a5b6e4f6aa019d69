module cotenant

go 1.26.0

require (
	github.com/go-echarts/go-echarts/v2 v2.6.7
	github.com/golang/mock v1.6.0
	github.com/jedib0t/go-pretty/v6 v6.6.5
	github.com/klauspost/compress v1.18.0
	github.com/mikelolasagasti/xz v1.0.1
	github.com/sarchlab/akita/v3 v3.1.0
	github.com/schollz/progressbar/v3 v3.18.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/stretchr/testify v1.12.1
	github.com/tebeka/atexit v0.3.0
	github.com/ulikunitz/xz v0.5.17
	golang.org/x/sync v0.24.0
	golang.org/x/term v0.28.0
	gopkg.in/yaml.v3 v3.0.1
	modernc.org/sqlite v1.39.1
	pgregory.net/rapid v1.3.0
)

require (
	github.com/go-sql-driver/mysql v1.7.1 // indirect
	github.com/mattn/go-sqlite3 v1.14.16 // indirect
)

require (
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/ncruces/go-strftime v0.1.9 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/rs/xid v1.5.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20250620022241-b7579e27df2b // indirect
	golang.org/x/sys v0.36.0
	golang.org/x/text v0.21.0 // indirect
	modernc.org/libc v1.66.10 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.11.0 // indirect
)
