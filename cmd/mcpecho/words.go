package main

import "slices"

func hasWord(list []string, word string) bool { return indexWord(list, word) >= 0 }

// indexWord is slices.Index for words. Inlined in all its callers, it would add 25 KB to
// mcpecho.
//
//go:noinline
func indexWord(list []string, word string) int { return slices.Index(list, word) }

// cloneWords is slices.Clone for words. Inlined, it would add 8 KB to mcpecho.
//
//go:noinline
func cloneWords(list []string) []string { return slices.Clone(list) }
