package cli

import (
	"encoding"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
)

// netlistForms are the forms in which a GPU can be written.
var netlistForms = []struct {
	name  string
	write func(io.Writer, *wiring.Config, []wiring.Node) error
}{
	{"sv", writeSystemVerilog},
	{"dot", writeDot},
}

func newNetlistCommand() *cobra.Command {
	gpu, form := "", netlistForms[0].name
	c := &cobra.Command{
		Use:   "netlist [flags]",
		Short: "Show the modules of a GPU, their parameters and connections",
		Long: "netlist builds a GPU and writes its modules. The form sv is a listing in the style of SystemVerilog: " +
			"it declares each kind of module with its parameters, then lists the instances and the links between their ports. " +
			"The form dot is a graph for Graphviz.",
		Example: "  cotenant netlist --gpu k20c\n  cotenant netlist --gpu gtx980 --format dot | dot -Tsvg -o gtx980.svg",
		Args:    noArgs,
	}
	c.Flags().StringVar(&gpu, "gpu", "gtx980", "`NAME` of a preset (cotenant list presets), or a YAML file; either may be followed by ?KEY=VALUE&...")
	var forms []string
	for _, f := range netlistForms {
		forms = append(forms, f.name)
	}
	bindChoice(c, &form, "format", forms, "form of the listing")
	c.RunE = func(c *cobra.Command, _ []string) error {
		config, err := presets.Load(gpu)
		if err != nil {
			return usageUnlessInput(err)
		}
		nodes, err := wire(config.Whole())
		if err != nil {
			return err
		}
		for _, f := range netlistForms {
			if f.name == form {
				return f.write(c.OutOrStdout(), config, nodes)
			}
		}
		return nil
	}
	return c
}

// wire builds a GPU to look at. It takes an application to build one; this one
// has a single thread and is never run.
func wire(config *wiring.Config) ([]wiring.Node, error) {
	p, err := policy.Parse("fcfs")
	if err != nil {
		return nil, err
	}
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	app := &workload.App{Name: "none", Ops: []workload.Op{{Kernel: &workload.Kernel{Name: "none", Grid: one, Block: one}}}}
	gpu, err := wiring.New(*config, p, []host.Process{{App: app}})
	if err != nil {
		return nil, err
	}
	return gpu.Hierarchy(), nil
}

// parameter is one field of a Spec, named by its path.
type parameter struct{ name, value string }

// parameters lists the fields of a Spec and of its parts in their order.
func parameters(spec any) []parameter {
	return appendParameters(nil, "", reflect.ValueOf(spec))
}

func appendParameters(list []parameter, prefix string, v reflect.Value) []parameter {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			name = strings.ToLower(words.ReplaceAllString(f.Name, "${1}_$2")) // what the wiring sets, not the user
		}
		name = prefix + name
		if word, ok := v.Field(i).Interface().(encoding.TextMarshaler); ok {
			list = append(list, parameter{name, fmt.Sprintf("%q", word)})
			continue
		}
		switch value := v.Field(i); value.Kind() {
		case reflect.Struct:
			list = appendParameters(list, name+"_", value)
		case reflect.String:
			list = append(list, parameter{name, fmt.Sprintf("%q", value)})
		case reflect.Slice:
			list = append(list, parameter{name, "'{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(value), "[]")), ", ") + "}"})
		case reflect.Bool:
			list = append(list, parameter{name, map[bool]string{false: "0", true: "1"}[value.Bool()]})
		default:
			list = append(list, parameter{name, fmt.Sprint(value)})
		}
	}
	return list
}

// words are where a word ends in a field's name and the next begins.
var words = regexp.MustCompile(`([a-z])([A-Z])`)

// identifiers turns names such as GPU.SM[3].Request into GPU_SM_3_Request.
var identifiers = regexp.MustCompile(`[^A-Za-z0-9]+`)

func identifier(name string) string {
	return strings.Trim(identifiers.ReplaceAllString(name, "_"), "_")
}
