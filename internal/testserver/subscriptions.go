package testserver

import "strings"

// A filter selects what a modern subscription reports.
type filter struct {
	lists map[string]bool // tools, resources, prompts
	uris  map[string]bool
	tasks map[string]bool // by id
	acked chan struct{}   // closed when the acknowledgment has been sent
	end   chan struct{}   // closed to end the subscription
	ended chan struct{}   // closed when it has ended
}

// listen opens a subscription (2026-07-28 basic/patterns/subscriptions).
func (c *call) listen() {
	wanted := c.params.object("notifications")
	srv := c.s.srv
	f := filter{lists: map[string]bool{}, uris: map[string]bool{}, tasks: map[string]bool{}, acked: make(chan struct{}), end: make(chan struct{}), ended: make(chan struct{})}
	var granted, uris []string
	for _, list := range []string{"tools", "prompts", "resources"} {
		key := list + "ListChanged"
		if wanted.optBool(key) && srv.offers(list) && srv.offers("listChanged") {
			f.lists[list] = true
			granted = append(granted, `"`+key+`":true`)
		}
	}
	for i, raw := range wanted.list("resourceSubscriptions") {
		uri := textOf(raw)
		if uri == "" {
			wanted.fail("resourceSubscriptions", "element "+itoa(i)+" is not a URI")
		}
		if srv.offers("resources") && srv.offers("subscribe") {
			f.uris[uri] = true
			uris = append(uris, uri)
		}
	}
	var tasks []string
	for _, raw := range wanted.list("taskIds") {
		f.tasks[textOf(raw)] = srv.hasTasks()
		tasks = append(tasks, textOf(raw))
	}
	if c.refuseInvalid() || tasks != nil && c.lacksExtension() {
		return
	}
	if tasks != nil && srv.hasTasks() {
		granted = append(granted, `"taskIds":`+quoteAll(tasks))
	}
	if uris != nil {
		granted = append(granted, `"resourceSubscriptions":`+quoteAll(uris))
	}
	srv.mu.Lock()
	srv.listens[c] = f // first, so that a client that has the acknowledgment misses nothing
	srv.mu.Unlock()
	c.notifySubscription("notifications/subscriptions/acknowledged", `"notifications":{`+strings.Join(granted, ",")+"}")
	close(f.acked)
	c.later = func() {
		defer close(f.ended)
		select {
		case <-c.ctx.Done():
		case <-f.end:
			c.respond("result", c.complete("complete", "", c.subscriptionID()+","))
		}
		srv.mu.Lock()
		delete(srv.listens, c)
		srv.mu.Unlock()
	}
}

// subscriptionID returns the member of _meta that names the subscription.
func (c *call) subscriptionID() string { return `"` + metaSubscription + `":` + string(c.id) }

// notifySubscription sends a notification on a subscription.
func (c *call) notifySubscription(method, members string) {
	if members != "" {
		members += ","
	}
	c.notify(method, "{"+members+`"_meta":{`+c.subscriptionID()+"}}")
}

// subscribe serves resources/subscribe and resources/unsubscribe.
func (c *call) subscribe() {
	uri := c.params.text("uri")
	if c.refuseInvalid() {
		return
	}
	c.s.mu.Lock()
	if c.method == "resources/subscribe" {
		c.s.subscribed[uri] = true
	} else {
		delete(c.s.subscribed, uri)
	}
	c.s.mu.Unlock()
	c.result("")
}

// subscriptions returns the selected subscriptions, which are acknowledged.
func (s *Server) subscriptions(selects func(filter) bool) (listens []*call) {
	s.mu.Lock()
	var acked []chan struct{}
	for c, f := range s.listens {
		if selects(f) {
			listens = append(listens, c)
			acked = append(acked, f.acked)
		}
	}
	s.mu.Unlock()
	for _, sent := range acked {
		<-sent
	}
	return listens
}

// publish notifies subscribers of a change: of the resource if uri is not empty,
// otherwise of the list.
func (s *Server) publish(method, list, uri string) {
	listens := s.subscriptions(func(f filter) bool { return uri == "" && f.lists[list] || f.uris[uri] })
	s.mu.Lock()
	var sessions []*Session
	for n := range s.sessions {
		sessions = append(sessions, n)
	}
	s.mu.Unlock()

	members := ""
	if uri != "" {
		members = `"uri":` + quote(uri)
	}
	for _, c := range listens {
		c.notifySubscription(method, members)
	}
	for _, n := range sessions {
		n.mu.Lock()
		if n.version != "" && !n.ready && uri == "" && s.offers(list) && s.offers("listChanged") {
			n.changed = append(n.changed, method)
		}
		wanted := n.ready && (uri == "" && s.offers(list) && s.offers("listChanged") || n.subscribed[uri])
		n.mu.Unlock()
		if wanted && uri == "" {
			n.push(notification(method, ""))
		} else if wanted {
			n.push(notification(method, "{"+members+"}"))
		}
	}
}

func (s *Server) listChanged(list string) { s.publish("notifications/"+list+"/list_changed", list, "") }

func (c *call) update(args *fields) {
	uri := textURI
	if args.has("uri") {
		uri = args.optText("uri")
	}
	if c.badArguments(args) {
		return
	}
	c.s.srv.publish("notifications/resources/updated", "", uri)
	c.s.srv.listChanged("resources")
	c.s.srv.listChanged("prompts")
	c.text("Updated.")
}

func (c *call) addTool(*fields) {
	n := c.s.srv.addOne()
	c.s.srv.listChanged("tools")
	c.text("Added " + toolName(n) + ".")
}

// addOne adds a tool and returns its number.
func (s *Server) addOne() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	return s.opts.Tools + s.added
}

// endListen ends every subscription, as a server does when it shuts down.
func (c *call) endListen(*fields) {
	srv := c.s.srv
	srv.mu.Lock()
	ending := srv.listens
	srv.listens = make(map[*call]filter)
	srv.mu.Unlock()
	for _, f := range ending {
		close(f.end)
		<-f.ended
	}
	c.text("Ended " + itoa(len(ending)) + ".")
}
