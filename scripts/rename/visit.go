package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rewrite collects the edits of the file.
func (w *fileRewriter) rewrite() {
	for _, spec := range w.file.Imports {
		w.importSpec(spec)
	}
	ast.Inspect(w.file, func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			w.selector(n)
		case *ast.Ident:
			w.ident(n)
		case *ast.CompositeLit:
			w.composite(n)
		case *ast.AssignStmt:
			w.assign(n)
		case *ast.CallExpr:
			w.call(n)
		case *ast.FuncDecl:
			w.method(n)
		case *ast.FuncType:
			w.funcType(n)
		case *ast.TypeSpec:
			w.typeSpec(n)
		}
		w.stack = append(w.stack, n)
		return true
	})
}

// importSpec moves an import.
func (w *fileRewriter) importSpec(spec *ast.ImportSpec) {
	for i := range rules {
		r := &rules[i]
		if r.kind != importPath || spec.Path.Value != `"`+r.path()+`"` {
			continue
		}
		w.replace(spec.Path, `"`+module+"/"+r.new+`"`)
		if spec.Name == nil {
			name := r.new[strings.LastIndexByte(r.new, '/')+1:]
			for id, obj := range w.info.Uses {
				if p, ok := obj.(*types.PkgName); ok && p.Imported().Path() == r.path() && w.inFile(id) {
					w.replace(id, name)
				}
			}
		}
	}
}

func (w *fileRewriter) inFile(n ast.Node) bool {
	return w.file.FileStart <= n.Pos() && n.Pos() < w.file.FileEnd
}

// ident renames a name of the package level that has no qualifier: a declaration, a
// use in the package itself, and one after a dot import.
func (w *fileRewriter) ident(id *ast.Ident) {
	if len(w.stack) > 0 {
		switch parent := w.stack[len(w.stack)-1].(type) {
		case *ast.SelectorExpr:
			if parent.Sel == id {
				return
			}
		case *ast.FuncDecl:
			if parent.Recv != nil && parent.Name == id {
				return
			}
		case *ast.KeyValueExpr:
			if parent.Key == id && w.isStruct() {
				return
			}
		case *ast.Field:
			return // declared names of parameters and fields; types follow
		}
	}
	w.global(id)
}

// isStruct reports whether the key of a KeyValueExpr is that of a struct.
func (w *fileRewriter) isStruct() bool {
	lit, ok := w.stack[len(w.stack)-2].(*ast.CompositeLit)
	if !ok {
		return false
	}
	t := w.info.TypeOf(lit)
	if t == nil {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok = t.Underlying().(*types.Struct)
	return ok
}

func (w *fileRewriter) global(id *ast.Ident) {
	obj := w.info.Uses[id]
	if obj == nil {
		obj = w.info.Defs[id]
	}
	path := w.path
	if obj != nil {
		if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			return
		}
		path = obj.Pkg().Path()
	} else if !isRenamed(path, id.Name) {
		path = w.dotImport(id.Name)
	}
	if r := find(path, "", id.Name); r != nil {
		w.apply(id, r)
	}
}

// isRenamed reports whether a rule is for a name of a package.
func isRenamed(path, name string) bool { return find(path, "", name) != nil }

// dotImport returns the path of the package that the file imports with a dot and that
// had the name.
func (w *fileRewriter) dotImport(name string) string {
	for _, spec := range w.file.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); spec.Name != nil && spec.Name.Name == "." && isRenamed(path, name) {
			return path
		}
	}
	return ""
}

// selector renames a qualified name, a method or a field.
func (w *fileRewriter) selector(sel *ast.SelectorExpr) {
	if r := w.selected(sel); r != nil {
		w.apply(sel.Sel, r)
	}
}

// selected returns the rule for the name that is selected.
func (w *fileRewriter) selected(sel *ast.SelectorExpr) *rule {
	if x, ok := sel.X.(*ast.Ident); ok {
		if p, ok := w.info.Uses[x].(*types.PkgName); ok {
			return find(p.Imported().Path(), "", sel.Sel.Name)
		}
	}
	return member(w.info.TypeOf(sel.X), sel.Sel.Name, 0)
}

// member returns the rule for a method or a field of t or of what it embeds,
// whether or not t still has it.
func member(t types.Type, name string, depth int) *rule {
	if t == nil || depth > 4 {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		if r := find(named.Obj().Pkg().Path(), named.Obj().Name(), name); r != nil {
			return r
		}
		for m := range named.Methods() {
			if m.Name() == name {
				return nil
			}
		}
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return nil
		}
	}
	for f := range s.Fields() {
		if f.Embedded() {
			if r := member(f.Type(), name, depth+1); r != nil {
				return r
			}
		}
	}
	return nil
}

// apply changes a name as its rule says, if that needs no look at what is around it.
func (w *fileRewriter) apply(id *ast.Ident, r *rule) {
	switch r.kind {
	case name, addContext, index:
		if r.new != r.old {
			w.replace(id, r.new)
		}
	case literal, argument:
		switch {
		case r.new == r.old, w.info.Defs[id] != nil: // the declaration is changed by hand
		case w.called(id):
			w.replace(id, r.new)
		default:
			w.note(id, r)
		}
	case manual:
		if w.info.Defs[id] == nil && r.params == 0 {
			w.note(id, r)
		}
	case slice:
		if _, ok := w.target(id); !ok {
			w.note(id, r)
		}
	case callback, result, signature, importPath: // by composite, assign and call
	}
}

// target returns the expression whose element id is assigned.
func (w *fileRewriter) target(id *ast.Ident) (ast.Expr, bool) {
	if len(w.stack) == 0 {
		return nil, false
	}
	switch parent := w.stack[len(w.stack)-1].(type) {
	case *ast.AssignStmt:
		for _, lhs := range parent.Lhs {
			if sel, ok := lhs.(*ast.SelectorExpr); ok && sel.Sel == id {
				return sel, true
			}
		}
	}
	return nil, false
}

// called reports whether id, or the selector that it ends, is called.
func (w *fileRewriter) called(id *ast.Ident) bool {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel == id {
				continue
			}
		case *ast.CallExpr:
			return n.Fun == ast.Expr(id) || w.funSel(n) == id
		}
		return false
	}
	return false
}

func (w *fileRewriter) funSel(call *ast.CallExpr) *ast.Ident {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.Sel
	}
	return nil
}

// composite renames the fields of a struct and changes their values.
func (w *fileRewriter) composite(lit *ast.CompositeLit) {
	t := w.info.TypeOf(lit)
	if t == nil {
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); ok {
			if r := member(t, key.Name, 4); r != nil {
				w.field(key, kv.Value, r)
			}
		}
	}
}

// assign changes the values of fields that are assigned.
func (w *fileRewriter) assign(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) || s.Tok != token.ASSIGN {
		return
	}
	for i, lhs := range s.Lhs {
		if sel, ok := lhs.(*ast.SelectorExpr); ok {
			if r := w.selected(sel); r != nil && (r.kind == slice || r.kind == callback || r.kind == result) {
				w.field(sel.Sel, s.Rhs[i], r)
			}
		}
	}
}

// field changes a field and its value.
func (w *fileRewriter) field(key *ast.Ident, value ast.Expr, r *rule) {
	if r.kind == manual {
		if sig, ok := w.info.TypeOf(value).(*types.Signature); !ok || r.params == 0 || sig.Params().Len() == r.params {
			w.note(key, r)
		}
		return
	}
	if r.new != r.old {
		w.replace(key, r.new)
	}
	switch r.kind {
	case slice:
		if id, ok := value.(*ast.Ident); ok && id.Name == "nil" {
			return
		}
		w.insert(value.Pos(), "[]"+w.qualifier(r.path())+r.with+"{")
		w.insert(value.End(), "}")
	case callback:
		w.callback(value, r)
	case result:
		w.result(value, r)
	default:
	}
}

// result changes the first result of a function that the program sets.
func (w *fileRewriter) result(value ast.Expr, r *rule) {
	if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
		if t, ok := lit.Type.Results.List[0].Type.(*ast.Ident); ok && t.Name == "string" {
			w.replace(t, w.qualifier(r.path())+r.with)
		}
		return
	}
	if sig, ok := w.info.TypeOf(value).(*types.Signature); ok && sig.Results().Len() > 0 && sig.Results().At(0).Type().String() == "string" {
		w.note(value, r)
	}
}

// callback adds a context to a function that the program sets.
func (w *fileRewriter) callback(value ast.Expr, r *rule) {
	if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
		w.prepend(lit.Type, r.params)
		return
	}
	if id, ok := value.(*ast.Ident); ok && id.Name == "nil" {
		return
	}
	sig, ok := w.info.TypeOf(value).(*types.Signature)
	switch {
	case !ok:
		w.notes = append(w.notes, w.fset.Position(value.Pos()).String()+": "+r.qualified(r.new)+": the function takes a context first")
		return
	case sig.Params().Len() != r.params:
		return
	}
	var params, args strings.Builder
	qualify := func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		return strings.TrimSuffix(w.qualifier(p.Path()), ".")
	}
	for i := range sig.Params().Len() {
		name := string(rune('a' + i))
		params.WriteString(", " + name + " " + types.TypeString(sig.Params().At(i).Type(), qualify))
		if i > 0 {
			args.WriteString(", ")
		}
		args.WriteString(name)
	}
	result := ""
	if n := sig.Results().Len(); n > 0 {
		result = "return "
	}
	w.insert(value.Pos(), "func(_ "+w.contextName()+".Context"+params.String()+") "+
		strings.TrimSuffix(strings.TrimPrefix(types.TypeString(sig.Results(), qualify), "()"), "()")+" { "+result)
	w.insert(value.End(), "("+args.String()+") }")
}

// prepend adds a context to the parameters, if there are n.
func (w *fileRewriter) prepend(t *ast.FuncType, n int) {
	if t.Params.NumFields() != n {
		return
	}
	text := w.contextName() + ".Context"
	if n == 0 {
		w.insert(t.Params.Opening+1, text)
		return
	}
	if len(t.Params.List[0].Names) > 0 {
		text = "_ " + text
	}
	w.insert(t.Params.Opening+1, text+", ")
}

// call changes what is called.
func (w *fileRewriter) call(call *ast.CallExpr) {
	var r *rule
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		r = w.selected(fun)
	case *ast.Ident:
		if obj := w.info.Uses[fun]; obj != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			r = find(obj.Pkg().Path(), "", fun.Name)
		} else if obj == nil {
			r = find(w.path, "", fun.Name)
		}
	}
	if r == nil {
		w.signatureCall(call)
		return
	}
	switch r.kind {
	case addContext:
		if len(call.Args) == r.params {
			w.addArgument(call, w.contextHere(call.Pos()))
		}
	case argument:
		w.addArgument(call, r.with)
	case index:
		if len(call.Args) == r.params && !call.Ellipsis.IsValid() {
			last := call.Args[r.params-1]
			w.insert(call.End(), "."+r.with+"["+types.ExprString(last)+"]")
		}
	case literal:
		if len(call.Args) != 1 {
			return
		}
		w.edits = append(w.edits, edit{w.offset(call.Lparen), w.offset(call.Lparen) + 1, "{" + r.with + ": "},
			edit{w.offset(call.Rparen), w.offset(call.Rparen) + 1, "}"})
		if r.params > 0 {
			w.callback(call.Args[0], r)
		}
	default:
	}
}

func (w *fileRewriter) addArgument(call *ast.CallExpr, arg string) {
	if len(call.Args) > 0 {
		arg += ", "
	}
	w.insert(call.Lparen+1, arg)
}
