// Command render renders the templates of a Helm chart as JSON: file name to text. It reads the built-in objects (Values, Release, Chart) from
// standard input. Template language and functions are those of Helm: text/template and Sprig, with include, required, toYaml and tpl. It
// needs Debian's golang-go and golang-github-masterminds-sprig-dev: GO111MODULE=off GOPATH=/usr/share/gocode go run main.go <chart>
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(chart string) error {
	var objects map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := root.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return err
		}
	}
	rendered := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		text, err := execute(root, name, objects)
		if err != nil {
			return err
		}
		rendered[name] = text
	}
	return json.NewEncoder(os.Stdout).Encode(rendered)
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	// Helm removes these, so that a chart cannot read the environment.
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) { return execute(root, name, data) }
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || (isText && text == "") {
			return nil, errors.New(message)
		}
		return value, nil
	}
	all["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		clone, err := root.Clone()
		if err != nil {
			return "", err
		}
		if _, err := clone.New("tpl").Parse(text); err != nil {
			return "", err
		}
		return execute(clone, "tpl", data)
	}
	return all
}

// Helm prints absent values as empty text.
func execute(root *template.Template, name string, data interface{}) (string, error) {
	var output bytes.Buffer
	if err := root.ExecuteTemplate(&output, name, data); err != nil {
		return "", err
	}
	return strings.ReplaceAll(output.String(), "<no value>", ""), nil
}
