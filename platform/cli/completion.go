package cli

import (
	"github.com/spf13/cobra"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment/reproduce"
	"cotenant/platform/presets"
	"cotenant/workload/kernels"
	"cotenant/workload/profile"
)

// newCompletionCommand makes the command that writes a shell's completion script.
func newCompletionCommand(root *cobra.Command) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script by which a shell completes commands, flags and names",
		Long: "completion writes a script for bash, zsh, fish or powershell. With it the shell completes commands, flags, " +
			"and the names of GPUs, policies, applications and experiments.\n\n" +
			"  bash        source <(cotenant completion bash)\n" +
			"  zsh         source <(cotenant completion zsh)\n" +
			"  fish        cotenant completion fish | source\n" +
			"  powershell  cotenant completion powershell | Out-String | Invoke-Expression\n\n" +
			"The line in the shell's start file, such as ~/.bashrc, keeps it. bash needs the package bash-completion.",
		Example:   "  cotenant completion bash > cotenant.bash",
		Args:      arguments(1, 1, "completion takes one shell", "bash, zsh, fish, powershell"),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			out := c.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return usagef("unknown shell %q; valid: bash, zsh, fish, powershell", args[0])
		},
	}
}

// complete offers names, and no files.
func complete(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeOrFile offers names, and files.
func completeOrFile(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveDefault
	}
}

// completeFlags offers the names that flags of all commands take.
func completeFlags(root *cobra.Command) {
	for flag, offer := range map[string]cobra.CompletionFunc{
		"gpu": completeOrFile(presets.Names), "isolated-gpu": completeOrFile(presets.Names),
		"policy": complete(policyNames), "app": completeOrFile(appNames),
	} {
		for _, c := range root.Commands() {
			for _, each := range append(c.Commands(), c) {
				if each.Flags().Lookup(flag) == nil {
					continue
				}
				if err := each.RegisterFlagCompletionFunc(flag, offer); err != nil {
					panic(err)
				}
			}
		}
	}
}

func policyNames() (names []string) {
	for _, p := range policy.All() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
	}
	return names
}

func appNames() []string {
	names := kernels.Names()
	for _, name := range profile.Names() {
		names = append(names, "profile:"+name)
	}
	return names
}

// experimentNames are the published figures that reproduce knows.
func experimentNames() (names []string) {
	for _, e := range reproduce.All() {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.About))
	}
	return names
}
