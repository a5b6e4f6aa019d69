package cli

// topic is a page of help that belongs to several commands.
type topic struct {
	name, about string
	text        func() string
}

var topics = []topic{
	{"apps", "how to write an application and its options", appsHelp},
	{"gpus", "how to write a GPU: presets, files and single fields", gpusHelp},
}

func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

func appsHelp() string {
	return "An application is the program of a tenant: its copies, CPU phases and kernel launches. " +
		"--app and the mixes of a sweep take it in one of these forms.\n\n" +
		"  NAME               a built-in application of real kernels: cotenant list kernels\n" +
		"  cuda:PROGRAM       a CUDA program that cotenant cc has compiled: docs/your-own-programs.md\n" +
		"  FILE.app.yaml      a CUDA program with its arguments and files\n" +
		"  capture:DIR        the calls of a CUDA program, as trace capture recorded them\n" +
		"  ptx:FILE.yaml      kernels of your own in PTX, with a launch manifest: docs/your-own-kernels.md\n" +
		"  traceg:DIR         instruction traces of a program (NVBit, Accel-Sim): docs/traces.md\n" +
		"  profile:NAME       a built-in statistical profile: cotenant list kernels\n" +
		"  profile:FILE.yaml  a statistical profile of your own, such as fit writes: docs/fitting.md\n\n" +
		"Options follow the application behind a question mark, and & joins several: 'sgemm?size=tiny&arrival=20us'. " +
		"A shell needs quotes around them.\n\n" +
		"Any application:\n\n" +
		"  ?arrival=TIME         when its process arrives, in ns, us, ms or core cycles\n" +
		"  ?priority=N           a tenant with a larger number goes first, where the policy or a scheduler looks at priorities\n" +
		"  ?qos=F                goal: at least the part F of its isolated IPC, such as 0.8\n" +
		"  ?qos_time=TIME        goal: one run takes at most TIME\n" +
		"  ?memory_limit=SIZE    most device memory that it can have allocated, such as 512MiB: allocations beyond it fail\n\n" +
		"Applications of one kind:\n\n" +
		"  ?size=SIZE            built-in applications: tiny, small or medium input\n" +
		"  ?set=NAME:NUMBER,...  built-in applications and ptx: parameters of the launch manifest\n" +
		"  ?arch=ARCH            built-in applications, ptx and profiles: GPU architecture that gives the demands of kernels, such as k20c\n" +
		"  ?lower=-RULE,...      built-in applications, ptx and CUDA programs: switch rules that lower PTX to machine instructions off (-RULE) or on (+RULE)\n" +
		"  ?args=WORD WORD...    CUDA programs: arguments, as a shell reads them\n" +
		"  ?folder=FOLDER        CUDA programs: the working folder; by default the command's\n" +
		"  ?files=FILES          CUDA programs: private, where each run writes into a copy of the working folder and drops it, or shared\n"
}

func gpusHelp() string {
	return "--gpu takes the name of a preset, or a file that ends in .yaml. cotenant list presets names the presets; " +
		"docs/running.md tells which machine each preset models.\n\n" +
		"A file may extend a preset and then sets only the differences:\n\n" +
		"  extends: gtx980\n  sms: 24\n  sm:\n    scheduler: 2lvl-8\n    l1: {sets: 64}\n\n" +
		"Single fields follow the preset or file behind a question mark, and & joins several. " +
		"Their names are paths in the file: 'gtx980?l2.ways=4&sm.scheduler=lrr'.\n\n" +
		"platform/presets/plain16.yaml explains every field. cotenant netlist --gpu GPU shows the modules that a GPU consists of, " +
		"with their parameters. cotenant list schedulers and list blocks name the parts that fields can choose.\n"
}
