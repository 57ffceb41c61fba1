package main

import "slices"

func hasWord(list []string, word string) bool { return indexWord(list, word) >= 0 }

// indexWord is slices.Index for words.
func indexWord(list []string, word string) int { return slices.Index(list, word) }

// cloneWords is slices.Clone for words.
func cloneWords(list []string) []string { return slices.Clone(list) }
