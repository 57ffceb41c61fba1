package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// contextHere returns a context for a call at p: the variable ctx if there is one.
func (w *fileRewriter) contextHere(p token.Pos) string {
	if w.pkg != nil {
		if scope := w.scopeAt(p); scope != nil {
			if _, obj := scope.LookupParent("ctx", p); obj != nil && obj.Type() != nil && obj.Type().String() == "context.Context" {
				return "ctx"
			}
		}
	}
	return w.contextName() + ".Background()"
}

// scopeAt returns the innermost scope of the file at p.
func (w *fileRewriter) scopeAt(p token.Pos) *types.Scope {
	if s := w.info.Scopes[w.file]; s != nil {
		return s.Innermost(p)
	}
	return nil
}

// signatureRule returns the rule for functions with one parameter of the given type.
func signatureRule(t types.Type) *rule {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.kind == signature && r.typ == named.Obj().Name() && r.path() == named.Obj().Pkg().Path() {
			return r
		}
	}
	return nil
}

// funcType adds a context to a function whose signature is that of a rule.
func (w *fileRewriter) funcType(t *ast.FuncType) {
	if t.Params.NumFields() != 1 || t.Results.NumFields() != 2 {
		return
	}
	param := w.info.TypeOf(t.Params.List[0].Type)
	result := w.info.TypeOf(t.Results.List[0].Type)
	if param == nil || result == nil {
		return
	}
	if r := signatureRule(param); r != nil && strings.HasSuffix(result.String(), r.with) {
		w.prepend(t, 1)
	}
}

// signatureCall adds a context to a call of such a function.
func (w *fileRewriter) signatureCall(call *ast.CallExpr) {
	if len(call.Args) != 1 {
		return
	}
	param := w.info.TypeOf(call.Args[0])
	if param == nil {
		return
	}
	r := signatureRule(param)
	if r == nil {
		return
	}
	sig, ok := w.info.TypeOf(call.Fun).(*types.Signature)
	if t := w.info.TypeOf(call.Fun); !ok && t != nil {
		sig, ok = t.Underlying().(*types.Signature)
	}
	if ok && sig.Results().Len() == 2 && strings.HasSuffix(sig.Results().At(0).Type().String(), r.with) {
		w.addArgument(call, w.contextHere(call.Pos()))
	}
}

// method renames the declaration of a method.
func (w *fileRewriter) method(d *ast.FuncDecl) {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return
	}
	if r := find(w.path, id.Name, d.Name.Name); r != nil && r.kind == name {
		w.replace(d.Name, r.new)
	}
}

// typeSpec renames the fields and methods in the declaration of a type.
func (w *fileRewriter) typeSpec(s *ast.TypeSpec) {
	var fields *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, f := range fields.List {
		for _, id := range f.Names {
			if r := find(w.path, s.Name.Name, id.Name); r != nil && r.kind == name {
				w.replace(id, r.new)
			}
		}
	}
}
