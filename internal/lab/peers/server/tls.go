package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/answers"
)

// serveTLS serves HTTP/1.1 over TLS or, as net/http does, HTTP/2. It prints the URL
// and a file with the certificate, which remove removes.
func (s *webServer) serveTLS(l net.Listener) (remove func(), err error) {
	cert, file, err := newCertificate()
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	if s.kind == "tls" {
		config.NextProtos = []string{"http/1.1"}
		go s.serve(tls.NewListener(l, config)) // ends with the program
	} else {
		web := &http.Server{Handler: s, TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0)}
		go func() { _ = web.ServeTLS(l, "", "") }() // ends with the program
	}
	os.Stdout.WriteString("https://" + l.Addr().String() + "/mcp\n" + file + "\n")
	return func() { os.Remove(file) }, nil
}

// ServeHTTP handles a request over HTTP/2.
func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodDelete:
		return
	case http.MethodPost:
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	msg := s.answers.Append(nil, body)
	if len(msg) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !s.answers.Modern && answers.Method(body) == "initialize" {
		w.Header().Set("Mcp-Session-Id", "1868a90c")
	}
	_, _ = w.Write(msg)
}

// newCertificate returns a new certificate for 127.0.0.1 and a file that holds it.
func newCertificate() (cert tls.Certificate, file string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return cert, "", err
	}
	f, err := os.CreateTemp("", "certificate")
	if err != nil {
		return cert, "", err
	}
	defer f.Close()
	err = pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, f.Name(), err
}
