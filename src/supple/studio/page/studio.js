var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n3) {
  n3 && n3.parentNode && n3.remove();
}
function k(n3, t4, r4) {
  var u4, i4, f5, o5 = {}, e4 = arguments.length;
  for (f5 in t4) "key" == f5 ? u4 = t4[f5] : "ref" == f5 && "function" != typeof n3 ? i4 = t4[f5] : o5[f5] = t4[f5];
  return e4 > 2 && (o5.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n3, o5, u4, i4, null);
}
function m(r4, u4, i4, f5, o5) {
  var e4 = { type: r4, props: u4, key: i4, ref: f5, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o5 || ++t, __i: -1, __u: 0 };
  return !o5 && n.vnode && n.vnode(e4), e4;
}
function $(n3) {
  return n3.children;
}
function x(n3, t4) {
  this.props = n3, this.context = t4, this.__g = 0;
}
function S(n3, t4) {
  if (null == t4) return n3.__ && S(n3.__, n3.__i + 1);
  for (var r4; t4 < n3.__k.length; t4++) if ((r4 = n3.__k[t4]) && r4.__e) return r4.__e;
  return "function" != typeof n3.type || n3.props.__P ? null : S(n3);
}
function C(t4) {
  var r4, u4 = t4.__v, i4 = u4.__e, f5 = [], o5 = [], e4 = t4.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t4.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f5, i4 || S(u4), 32 & u4.__u, o5), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f5, r4, o5), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n3) {
  if ((n3 = n3.__) && n3.__c && !n3.props.__P) return n3.__e = null, n3.__k.some(function(t4) {
    return t4 && (n3.__e = t4.__e);
  }), j(n3);
}
function L(t4) {
  (8 & t4.__g || (t4.__g |= 8, u.push(t4), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n3, t4 = 1; u.length; ) u.length > t4 && u.sort(o), n3 = u.shift(), t4 = u.length, 8 & n3.__g && C(n3);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n3, t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h5, v4, w5, d5, _4, g5 = u4.__k || y, k4 = t4.length;
  for (l4 = q(r4, t4, g5, l4, k4), s4 = 0; s4 < k4; s4++) null != (v4 = r4.__k[s4]) && (h5 = ~v4.__i && g5[v4.__i] || p, v4.__i = s4, _4 = z(n3, v4, h5, i4, f5, o5, e4, l4, c4, a5), w5 = v4.__e, (h5.ref != v4.ref || 8 & h5.__u) && (h5.ref && G(h5.ref, null, v4, h5), v4.ref && a5.push(v4.ref, v4.__c || w5, v4)), d5 = d5 || w5, 4 & v4.__u ? (l4 = A(v4, l4, n3, !h5.__v), h5.__e && (h5.__e = null)) : "function" == typeof v4.type && void 0 !== _4 ? l4 = _4 : w5 && (l4 = w5.nextSibling), v4.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n3, t4, r4, u4, i4) {
  var f5, o5, e4, l4, c4, a5, s4, p5, y5, v4 = r4.length, d5 = v4, _4 = 0, g5 = 0, k4 = n3.__k = Array(i4);
  for (f5 = 0; f5 < i4; f5++) null != (o5 = t4[f5]) && "boolean" != typeof o5 && "function" != typeof o5 ? ("object" != typeof o5 || o5.constructor === String ? o5 = k4[f5] = m(null, o5) : w(o5) ? o5 = k4[f5] = m($, { children: o5 }) : o5.constructor === h && o5.__b ? o5 = k4[f5] = m(o5.type, o5.props, o5.key, o5.ref, o5.__v) : k4[f5] = o5, l4 = f5 + _4, o5.__ = n3, o5.__b = n3.__b + 1, e4 = null, ~(c4 = o5.__i = P(o5, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o5.__u |= 16, c4 == l4 - 1 ? _4-- : c4 == l4 + 1 ? _4++ : c4 != l4 && (c4 > l4 ? _4-- : _4++, g5 = 1)) : (~c4 || (i4 > v4 ? _4-- : i4 < v4 && _4++), "function" != typeof o5.type && (o5.__u |= 4))) : k4[f5] = null;
  if (g5) {
    for (a5 = [], s4 = [], f5 = 0; f5 < i4; f5++) if ((o5 = k4[f5]) && 16 & o5.__u) {
      for (_4 = 0, p5 = a5.length; _4 < p5; ) a5[y5 = _4 + p5 >> 1] < o5.__i ? _4 = y5 + 1 : p5 = y5;
      a5[_4] = o5.__i, s4[f5] = _4 + 1;
    }
    for (_4 = a5.length; f5--; ) s4[f5] && (s4[f5] == _4 ? _4-- : k4[f5].__u |= 4);
  }
  if (d5) for (f5 = 0; f5 < v4; f5++) !(e4 = r4[f5]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n3, t4, r4, u4) {
  var i4, f5, o5, e4;
  if ("function" == typeof n3.type) {
    if (n3.props.__P) return t4;
    if (i4 = n3.__k) for (f5 = 0; f5 < i4.length; f5++) i4[f5] && (i4[f5].__ = n3, t4 = A(i4[f5], t4, r4, false));
    return t4;
  }
  for (t4 && !t4.parentNode && (t4 = S(n3)) && !t4.parentNode && (t4 = null), o5 = n3.__e, e4 = t4; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o5 != e4 && (!u4 && r4.moveBefore && o5.parentNode ? r4.moveBefore(o5, t4) : r4.insertBefore(o5, t4 || null)), t4 = o5; (t4 = t4 && t4.nextSibling) && 8 == t4.nodeType && !t4.data.startsWith("$s"); ) ;
  return t4;
}
function P(n3, t4, r4, u4) {
  var i4, f5 = n3.key, o5 = n3.type, e4 = t4[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f5 || l4 && f5 == e4.key && o5 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t4.length; i4++) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
  }
  return -1;
}
function T(n3, t4, r4) {
  null == r4 && (r4 = ""), "-" == t4[0] ? n3.setProperty(t4, r4) : n3[t4] = r4;
}
function N(n3, t4, r4, u4, i4) {
  var f5, o5;
  if ("style" == t4) if ("string" == typeof r4) n3.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n3.style.cssText = u4 = ""), u4) for (t4 in u4) r4 && t4 in r4 || T(n3.style, t4);
    if (r4) for (t4 in r4) u4 && r4[t4] == u4[t4] || T(n3.style, t4, r4[t4]);
  }
  else if ("o" == t4[0] && "n" == t4[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n3.__e || (n3.__e = {}))[t4] = r4, r4 && u4 || (o5 = a[t4] || (a[t4] = V(t4)), (n3.__a || (n3.__a = {}))[t4] = c, f5 = t4 != (t4 = t4.replace(l, "$1")), (t4 = t4.slice(2))[0] < "a" && (t4 = t4.toLowerCase()), r4 ? n3.addEventListener(t4, o5, f5) : n3.removeEventListener(t4, o5, f5));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t4 = t4.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t4 && "height" != t4 && "href" != t4 && "list" != t4 && "form" != t4 && "tabIndex" != t4 && "download" != t4 && "rowSpan" != t4 && "colSpan" != t4 && "role" != t4 && "popover" != t4 && t4 in n3) try {
      return void (n3[t4] = null == r4 ? "" : r4);
    } catch (n4) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t4[4] ? n3.removeAttribute(t4) : n3.setAttribute(t4, "popover" == t4 && 1 == r4 ? "" : r4);
  }
}
function V(t4) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t4], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t4]) return;
      return u4(n.event ? n.event(r4) : r4);
    }
  };
}
function z(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, p5, v4, d5, k4, b3, m5, M2, C3, j3, L2, H2, q2, A4, O2, P2, T4, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o5 = [], 8 == s4.nodeType ? l4 = B(s4, o5) : o5.push(s4), l4 = o5[0] || l4), (s4 = n.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v4 = e4.length;
    try {
      if (M2 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j3 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j3 ? j3.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M2, L2) : (r4.__c = d5 = new x(M2, L2), d5.constructor = V2, d5.render = K), j3 && j3.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M2, d5.__s)))), k4 = d5.props, b3 = d5.state, d5.__v = r4, u4.__c) {
        if (M2 !== k4 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M2, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M2, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M2, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n3) {
            n3 && (n3.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M2, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k4, b3, m5);
        });
      } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M2, d5.__P = t4, d5.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
      do {
        d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q2 < 25);
      C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k4, b3)), A4 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M2.__P && (s4 = l4, f5 = (t4 = M2.__P).namespaceURI, c4 = o5 = null, u4.props && u4.props.__P != t4 && (u4.__k.some(function(n3) {
        n3 && J(n3, n3);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t4, w(A4) ? A4 : [A4], r4, u4, i4, f5, o5, e4, l4, c4, a5), M2.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t5) {
      if (e4.length = v4, r4.__v = null, c4 || o5) if (t5 && t5.then) {
        if (r4.__u |= 128 | c4, o5) {
          for (~(T4 = o5.indexOf(l4 || void 0)) || (T4 = o5.length); (N2 = o5[T4 - 1]) && 8 == N2.nodeType; ) T4--;
          for (; T4 < o5.length; T4++) if (N2 = o5[T4]) if (o5[T4] = null, O2) {
            if (N2 == P2) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P2 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O2 = l4;
        }
        (s4 = B(O2 = r4.__c.__z || (r4.__c.__z = O2))) ? (r4.__e = O2, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o5 && o5.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t5 && t5.then || D(r4), n.__e(t5, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f5, o5, e4, c4, a5, t4);
  return (s4 = n.diffed) && s4(r4), l4;
}
function B(n3, t4) {
  if (n3 && 8 == n3.nodeType && n3.data.startsWith("$s")) for (var r4 = 1; n3 = n3.nextSibling; ) {
    if (8 == n3.nodeType) {
      if (n3.data.startsWith("$s")) r4++;
      else if (n3.data.startsWith("/$s") && !--r4) return n3;
    }
    t4 && t4.push(n3);
  }
}
function D(n3) {
  n3 && (n3.__c && (n3.__c.__g |= 4), n3.__k && n3.__k.some(D));
}
function E(t4, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n.__c && n.__c(r4, t4), t4.some(function(r5) {
    try {
      t4 = r5.__h, r5.__h = [], t4.some(function(n3) {
        n3.call(r5);
      });
    } catch (t5) {
      n.__e(t5, r5.__v);
    }
  });
}
function F(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h5, y5, _4, k4, b3, m5, M2, $2 = u4.props || p, x3 = r4.props, C3 = r4.type;
  if ("svg" == C3 ? f5 = "http://www.w3.org/2000/svg" : "math" == C3 ? f5 = "http://www.w3.org/1998/Math/MathML" : f5 || (f5 = "http://www.w3.org/1999/xhtml"), o5) {
    for (s4 = 0; s4 < o5.length; s4++) if ((k4 = o5[s4]) && (C3 ? k4.localName == C3 : 3 == k4.nodeType)) {
      t4 = k4, o5[s4] = null;
      break;
    }
  }
  if (!t4) {
    if (M2 = a5.ownerDocument || document, !C3) return M2.createTextNode(x3);
    t4 = M2.createElementNS(f5, C3, x3.is ? x3 : a5), l4 && (n.__m && n.__m(r4, o5), l4 = false), o5 = null;
  }
  if (C3) {
    if (a5 = "template" == C3 && t4.content || t4, o5 = "textarea" == C3 && null != x3.defaultValue ? null : o5 && d.call(a5.childNodes), !l4 && o5) for ($2 = {}, s4 = 0; s4 < t4.attributes.length; s4++) $2[(k4 = t4.attributes[s4]).name] = k4.value;
    for (s4 in $2) k4 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k4 : "children" == s4 || s4 in x3 || "value" == s4 && "defaultValue" in x3 || "checked" == s4 && "defaultChecked" in x3 || N(t4, s4, null, k4, f5);
    for (s4 in x3) k4 = x3[s4], "children" == s4 ? _4 = k4 : "dangerouslySetInnerHTML" == s4 ? h5 = k4 : "value" == s4 ? b3 = k4 : "checked" == s4 ? m5 = k4 : l4 && "function" != typeof k4 || $2[s4] === k4 || N(t4, s4, k4, $2[s4], f5);
    h5 ? (l4 || y5 && (h5.__html == y5.__html || h5.__html == t4.innerHTML) || (t4.innerHTML = h5.__html), r4.__k = []) : (y5 && (t4.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f5 && v.test(C3)) && (f5 = "http://www.w3.org/1999/xhtml"), I(a5, w(_4) ? _4 : [_4], r4, u4, i4, f5, o5, e4, o5 ? o5[0] : u4.__k && S(u4, 0), l4, c4), o5 && o5.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b3 ? t4.removeAttribute(s4) : null == b3 || b3 === t4[s4] && ("progress" != C3 || b3) || N(t4, s4, b3, $2[s4], f5), s4 = "checked", null != m5 && m5 != t4[s4] && N(t4, s4, m5, $2[s4], f5));
  } else $2 === x3 || l4 && t4.data == x3 || (t4.data = x3);
  return t4;
}
function G(t4, r4, u4, i4) {
  try {
    "function" == typeof t4 ? r4 ? r4.__x = t4(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t4(null)) : t4.current = r4;
  } catch (t5) {
    n.__e(t5, u4);
  }
}
function J(t4, r4, u4) {
  var i4, f5, o5, e4;
  if (n.unmount && n.unmount(t4), !(i4 = t4.ref) || i4.current && i4.current != t4.__e || G(i4, null, r4, t4), i4 = t4.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t5) {
      n.__e(t5, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t4.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t4.type || u4 && !t4.props.__P);
  !u4 && (i4 = t4.__c) && (i4 = i4.__z) && (f5 = B(i4, o5 = [])) && (i4 == t4.__e && o5.some(g), g(f5), g(i4)), u4 || g(t4.__e), t4.__e = t4.__c = t4.__ = null;
}
function K(n3, t4, r4) {
  return this.constructor(n3, r4);
}
function Q(t4, r4) {
  var u4, i4, f5, o5;
  n.__ && n.__(t4, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t4 && 32 & t4.__u) ? null : r4.__k, r4.__k = m($, { children: [t4] }), f5 = [], o5 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f5, i4 ? i4.__e : r4.firstChild, u4, o5), E(f5, r4.__k, o5), r4.__k.props.children = null;
}
n = { __e: function(n3, t4, r4, u4) {
  for (var i4, o5, e4; t4 = t4.__; ) if ((i4 = t4.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o5 = i4.constructor) && o5.getDerivedStateFromError) && i4.setState(o5.getDerivedStateFromError(n3)), i4.componentDidCatch && (i4.componentDidCatch(n3, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t5) {
      n3 = t5;
    }
  }
  throw f = 0, n3;
} }, t = 0, r = function(n3) {
  return null != n3 && n3.constructor === h;
}, x.prototype.setState = function(n3, t4) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n3 && (n3 = n3(_({}, r4), this.props)), n3 && (_(r4, n3), this.__v && (t4 && this.__k.push(t4), L(this)));
}, x.prototype.forceUpdate = function(n3) {
  this.__v && (this.__g |= 4, n3 && this.__h.push(n3), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n3, t4) {
  return n3.__v.__b - t4.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// node_modules/preact/hooks/dist/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n3, t4) {
  a2.__h && a2.__h(r2, n3, f2 || t4), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n3 >= u4.__.length && u4.__.push({}), u4.__[n3];
}
function d2(n3) {
  return f2 = 1, _2(G2, n3);
}
function _2(n3, u4, i4) {
  var f5 = y2(t2++, 2);
  if (f5.t = n3, !f5.__c && (f5.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n4) {
    var t4 = (f5.__N || f5.__)[0], r4 = f5.t(t4, n4);
    o2(t4, r4) || (f5.__N = [r4, f5.__[1]], f5.__c.setState({}));
  }], f5.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n4, t4, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f6 = this.props != n4;
      if (u5.__.some(function(n5) {
        n5.__N && (i5 = true, o2(n5.__[0], n5.__N[0]) || (f6 = true));
      }), c4) {
        var e4 = c4.call(this, n4, t4, r4);
        return i5 ? e4 || f6 : e4;
      }
      return !i5 || f6;
    };
  }
  return f5.__;
}
function A2(n3, u4) {
  var i4 = y2(t2++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n3, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n3, u4) {
  var i4 = y2(t2++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n3, i4.u = u4, r2.__h.push(i4));
}
function T2(n3) {
  return f2 = 5, w2(function() {
    return { current: n3 };
  }, []);
}
function w2(n3, r4) {
  var u4 = y2(t2++, 7);
  return E2(u4.__H, r4) && (u4.__ = n3(), u4.__H = r4), u4.__;
}
function g2() {
  var n3;
  do {
    for (; n3 = e2.shift(); ) try {
      C2(n3);
    } catch (t5) {
      a2.__e(t5, { __: (n3 = n3.__P) && n3.__v });
    }
    for (; n3 = c2.shift(); ) {
      var t4 = n3.__H;
      if (n3.__P && t4) try {
        t4.__h.some(C2), t4.__h.some(D2), t4.__h = [];
      } catch (r4) {
        t4.__h = [], a2.__e(r4, n3.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n3) {
  r2 = null, v2 && v2(n3);
}, a2.__ = function(n3, t4) {
  n3 && t4.__k && t4.__k.__m && (n3.__m = t4.__k.__m), p2 && p2(n3, t4);
}, a2.__r = function(n3) {
  l2 && l2(n3), t2 = 0;
  var i4 = (r2 = n3.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t2 = 0), i4.__h = [], i4.__.some(function(n4) {
    n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n3) {
  m2 && m2(n3);
  var t4 = n3.__c;
  t4 && t4.__H && (t4.__H.__h.length && B2(c2.push(t4)), t4.__H.__.some(function(n4) {
    n4.u && (n4.__H = n4.u);
  })), u2 = r2 = null;
}, a2.__c = function(n3, t4) {
  t4.some(function(n4) {
    try {
      n4.__h.some(C2), n4.__h = n4.__h.filter(function(n5) {
        return !n5.__ || D2(n5);
      });
    } catch (t5) {
      n4.__h = [function() {
        throw t5;
      }];
    }
  }), h2 && h2(n3, t4);
}, a2.unmount = function(n3) {
  s2 && s2(n3);
  var t4, r4, u4 = n3.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n4) {
      t4 = n4;
    }
  }), u4.__H = void 0, t4 && a2.__e(t4, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n3) {
  var t4, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t4), setTimeout(n3);
  }, u4 = setTimeout(r4, 35);
  k2 && (t4 = requestAnimationFrame(r4));
}
function B2(n3) {
  1 != n3 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n3) {
  var t4 = r2, u4 = n3.__c;
  "function" == typeof u4 && (n3.__c = void 0, u4()), r2 = t4;
}
function D2(n3) {
  var t4 = r2;
  n3.__c = n3.__(), r2 = t4;
}
function E2(n3, t4) {
  return !n3 || n3.length != t4.length || t4.some(function(t5, r4) {
    return !o2(t5, n3[r4]);
  });
}
function G2(n3, t4) {
  return "function" == typeof t4 ? t4(n3) : t4;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i3 = /* @__PURE__ */ Symbol.for("preact-signals");
function t3() {
  if (!(v3 > 1)) {
    var i4, t4 = false;
    !(function() {
      var i5 = c3;
      c3 = void 0;
      while (void 0 !== i5) {
        var t5 = i5.S;
        if (t5.v === i5.v) {
          for (var r5 = t5.t; void 0 !== r5; r5 = r5.x) if (r5.i === i5.i) r5.i = t5.i;
        }
        i5 = i5.o;
      }
    })();
    while (void 0 !== h3) {
      var r4 = h3;
      h3 = void 0;
      s3++;
      while (void 0 !== r4) {
        var n3 = r4.u;
        r4.u = void 0;
        r4.f &= -3;
        if (!(8 & r4.f) && w3(r4)) try {
          r4.c();
        } catch (r5) {
          if (!t4) {
            i4 = r5;
            t4 = true;
          }
        }
        r4 = n3;
      }
    }
    s3 = 0;
    v3--;
    if (t4) throw i4;
  } else v3--;
}
function r3(i4) {
  if (v3 > 0) return i4();
  u3 = ++e3;
  v3++;
  try {
    return i4();
  } finally {
    t3();
  }
}
var n2;
var o3 = void 0;
function f3(i4) {
  var t4 = o3, r4 = n2;
  o3 = void 0;
  n2 = void 0;
  try {
    return i4();
  } finally {
    o3 = t4;
    n2 = r4;
  }
}
var h3 = void 0;
var v3 = 0;
var s3 = 0;
var e3 = 0;
var u3 = 0;
var c3 = void 0;
var a3 = 0;
function d3(i4) {
  if (void 0 !== o3) {
    var t4 = i4.n;
    if (void 0 === t4 || t4.t !== o3) {
      t4 = { i: 0, S: i4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: t4 };
      if (void 0 !== o3.s) o3.s.n = t4;
      o3.s = t4;
      i4.n = t4;
      if (32 & o3.f) i4.S(t4);
      return t4;
    } else if (-1 === t4.i) {
      t4.i = 0;
      if (void 0 !== t4.n) {
        t4.n.p = t4.p;
        if (void 0 !== t4.p) t4.p.n = t4.n;
        t4.p = o3.s;
        t4.n = void 0;
        o3.s.n = t4;
        o3.s = t4;
      }
      return t4;
    }
  }
}
function l3(i4, t4) {
  this.v = i4;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t4 ? void 0 : t4.watched;
  this.Z = null == t4 ? void 0 : t4.unwatched;
  this.name = null == t4 ? void 0 : t4.name;
}
l3.prototype.brand = i3;
l3.prototype.h = function() {
  return true;
};
l3.prototype.S = function(i4) {
  var t4 = this, r4 = this.t;
  if (r4 !== i4 && void 0 === i4.e) {
    i4.x = r4;
    this.t = i4;
    if (void 0 !== r4) r4.e = i4;
    else f3(function() {
      var i5;
      null == (i5 = t4.W) || i5.call(t4);
    });
  }
};
l3.prototype.U = function(i4) {
  var t4 = this;
  if (void 0 !== this.t) {
    var r4 = i4.e, n3 = i4.x;
    if (void 0 !== r4) {
      r4.x = n3;
      i4.e = void 0;
    }
    if (void 0 !== n3) {
      n3.e = r4;
      i4.x = void 0;
    }
    if (i4 === this.t) {
      this.t = n3;
      if (void 0 === n3) f3(function() {
        var i5;
        null == (i5 = t4.Z) || i5.call(t4);
      });
    }
  }
};
l3.prototype.subscribe = function(i4) {
  var t4 = this;
  return x2(function() {
    var r4 = t4.value;
    f3(function() {
      return i4(r4);
    });
  }, { name: "sub" });
};
l3.prototype.valueOf = function() {
  return this.value;
};
l3.prototype.toString = function() {
  return this.value + "";
};
l3.prototype.toJSON = function() {
  return this.value;
};
l3.prototype.peek = function() {
  var i4 = this;
  return f3(function() {
    return i4.value;
  });
};
Object.defineProperty(l3.prototype, "value", { get: function() {
  var i4 = d3(this);
  if (void 0 !== i4) i4.i = this.i;
  return this.v;
}, set: function(i4) {
  if (i4 !== this.v) {
    if (s3 > 100) throw new Error("Cycle detected");
    !(function(i5) {
      if (0 !== v3 && 0 === s3) {
        if (i5.l !== u3) {
          i5.l = u3;
          c3 = { S: i5, v: i5.v, i: i5.i, o: c3 };
        }
      }
    })(this);
    this.v = i4;
    this.i++;
    a3++;
    v3++;
    try {
      for (var r4 = this.t; void 0 !== r4; r4 = r4.x) r4.t.N();
    } finally {
      t3();
    }
  }
} });
function y3(i4, t4) {
  return new l3(i4, t4);
}
function w3(i4) {
  for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) if (t4.S.i !== t4.i || !t4.S.h() || t4.S.i !== t4.i) return true;
  return false;
}
function b(i4) {
  for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) {
    var r4 = t4.S.n;
    if (void 0 !== r4) t4.r = r4;
    t4.S.n = t4;
    t4.i = -1;
    if (void 0 === t4.n) {
      i4.s = t4;
      break;
    }
  }
}
function _3(i4) {
  var t4 = i4.s, r4 = void 0;
  while (void 0 !== t4) {
    var n3 = t4.p;
    if (-1 === t4.i) {
      t4.S.U(t4);
      if (void 0 !== n3) n3.n = t4.n;
      if (void 0 !== t4.n) t4.n.p = n3;
    } else r4 = t4;
    t4.S.n = t4.r;
    if (void 0 !== t4.r) t4.r = void 0;
    t4 = n3;
  }
  i4.s = r4;
}
function j2(i4, t4) {
  l3.call(this, void 0, t4);
  this.x = i4;
  this.s = void 0;
  this.g = a3 - 1;
  this.f = 4;
}
j2.prototype = new l3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === a3) return true;
  this.g = a3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  var i4 = o3;
  try {
    b(this);
    o3 = this;
    var t4 = this.x();
    if (16 & this.f || this.v !== t4 || 0 === this.i) {
      this.v = t4;
      this.f &= -17;
      this.i++;
    }
  } catch (i5) {
    this.v = i5;
    this.f |= 16;
    this.i++;
  }
  o3 = i4;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(i4) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t4 = this.s; void 0 !== t4; t4 = t4.n) t4.S.S(t4);
  }
  l3.prototype.S.call(this, i4);
};
j2.prototype.U = function(i4) {
  if (void 0 !== this.t) {
    l3.prototype.U.call(this, i4);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t4 = this.s; void 0 !== t4; t4 = t4.n) t4.S.U(t4);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i4 = this.t; void 0 !== i4; i4 = i4.x) i4.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i4 = d3(this);
  this.h();
  if (void 0 !== i4) i4.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(i4, t4) {
  return new j2(i4, t4);
}
function p3(i4) {
  var r4 = i4.j;
  i4.j = void 0;
  if ("function" == typeof r4) {
    v3++;
    var n3 = o3;
    o3 = void 0;
    try {
      r4();
    } catch (t4) {
      i4.f &= -2;
      i4.f |= 8;
      g3(i4);
      throw t4;
    } finally {
      o3 = n3;
      t3();
    }
  }
}
function g3(i4) {
  for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) t4.S.U(t4);
  i4.x = void 0;
  i4.s = void 0;
  p3(i4);
}
function S2(i4) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = i4;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    t3();
  }
}
function m3(i4, t4) {
  this.x = i4;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t4 ? void 0 : t4.name;
  if (n2) n2.push(this);
}
m3.prototype.c = function() {
  var i4 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    var t4 = this.x();
    if ("function" == typeof t4) this.j = t4;
  } finally {
    i4();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b(this);
  v3++;
  var i4 = o3;
  o3 = this;
  return S2.bind(this, i4);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = h3;
    h3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(i4, t4) {
  var r4 = new m3(i4, t4);
  try {
    r4.c();
  } catch (i5) {
    r4.d();
    throw i5;
  }
  var n3 = r4.d.bind(r4);
  n3[Symbol.dispose] = n3;
  return n3;
}

// node_modules/@preact/signals/dist/signals.module.js
var h4;
var d4;
var p4;
var m4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var g4 = [];
x2(function() {
  h4 = this.N;
})();
function b2(i4, n3) {
  n[i4] = n3.bind(null, n[i4] || function() {
  });
}
function y4(i4) {
  if (p4) {
    var n3 = p4;
    p4 = void 0;
    n3();
  }
  p4 = i4 && i4.S();
}
function w4(i4) {
  var n3 = this, r4 = i4.data, t4 = useSignal(r4);
  t4.name = "ReactiveDom";
  t4.value = r4;
  var e4 = w2(function() {
    var i5 = n3, r5 = n3.__v;
    while (r5 = r5.__) if (r5.__c) {
      r5.__c.__$f |= 4;
      break;
    }
    var o5 = O(function() {
      var i6 = t4.value.value;
      return 0 === i6 ? 0 : true === i6 ? "" : i6 || "";
    }), e5 = O(function() {
      return !Array.isArray(o5.value) && !r(o5.value);
    }), u5 = x2(function() {
      this.N = M;
      if (e5.value) {
        var n4 = o5.value;
        if (i5.__v && i5.__v.__e && 3 === i5.__v.__e.nodeType) i5.__v.__e.data = n4;
      }
    }), c5 = n3.__$u.d;
    n3.__$u.d = function() {
      u5();
      c5.call(this);
    };
    return [e5, o5];
  }, []), u4 = e4[0], c4 = e4[1];
  return u4.value ? c4.peek() : c4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(l3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get: function() {
  var i4 = this;
  return { data: { get value() {
    return i4.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", function(i4, n3) {
  y4();
  d4 = void 0;
  if ("string" == typeof n3.type) {
    var r4, t4 = n3.props;
    for (var f5 in t4) if ("children" !== f5) {
      var o5 = t4[f5];
      if (o5 instanceof l3) {
        if (!r4) n3.__np = r4 = {};
        r4[f5] = o5;
        t4[f5] = o5.peek();
      }
    }
  }
  i4(n3);
});
b2("__r", function(i4, r4) {
  i4(r4);
  if (r4.type !== $) {
    y4();
    var t4, f5 = r4.__c;
    if (f5) {
      f5.__$f &= -2;
      if (void 0 === (t4 = f5.__$u)) f5.__$u = t4 = (function(i5, n3) {
        var r5;
        x2(function() {
          r5 = this;
        }, { name: n3 });
        r5.c = i5;
        return r5;
      })(/* @__PURE__ */ (function(i5) {
        return function() {
          var n3;
          if (m4) null == (n3 = this.y) || n3.call(this);
          i5.__$f |= 1;
          i5.setState({});
        };
      })(f5), "function" == typeof r4.type ? r4.type.displayName || r4.type.name : "");
    }
    d4 = f5;
    y4(t4);
  }
});
b2("__e", function(i4, n3, r4, t4) {
  y4();
  d4 = void 0;
  i4(n3, r4, t4);
});
b2("diffed", function(i4, n3) {
  y4();
  d4 = void 0;
  var r4;
  if ("string" == typeof n3.type && (r4 = n3.__e)) {
    var t4 = n3.__np, f5 = n3.props, o5 = r4.U;
    if (o5) for (var e4 in o5) {
      var u4 = o5[e4];
      if (!(void 0 === u4 || t4 && e4 in t4)) {
        u4.d();
        o5[e4] = void 0;
      }
    }
    if (t4) {
      if (!o5) {
        o5 = {};
        r4.U = o5;
      }
      for (var a5 in t4) {
        var c4 = o5[a5], v4 = t4[a5];
        if (void 0 === c4) {
          c4 = k3(r4, a5, v4, f5);
          o5[a5] = c4;
        } else c4.o(v4, f5);
      }
    }
  }
  i4(n3);
});
function k3(i4, n3, r4, t4) {
  var f5 = n3 in i4 && void 0 === i4.ownerSVGElement, o5 = y3(r4);
  return { o: function(i5, n4) {
    o5.value = i5;
    t4 = n4;
  }, d: x2(function() {
    this.N = M;
    var r5 = o5.value.value;
    if (t4[n3] !== r5) {
      t4[n3] = r5;
      if (f5) i4[n3] = r5;
      else if (null != r5 && (false !== r5 || "-" === n3[4])) i4.setAttribute(n3, r5);
      else i4.removeAttribute(n3);
    }
  }) };
}
b2("unmount", function(i4, n3) {
  if ("string" == typeof n3.type) {
    var r4 = n3.__e;
    if (r4) {
      var t4 = r4.U;
      if (t4) {
        r4.U = void 0;
        for (var f5 in t4) {
          var o5 = t4[f5];
          if (o5) o5.d();
        }
      }
    }
    var e4 = n3.__np;
    if (e4) {
      var u4 = n3.props;
      for (var a5 in e4) u4[a5] = e4[a5];
    }
    n3.__np = void 0;
  } else {
    var c4 = n3.__c;
    if (c4) {
      c4.__$f |= 8;
      var v4 = c4.__$u;
      if (v4) {
        c4.__$u = void 0;
        v4.d();
      }
    }
  }
  i4(n3);
});
b2("__h", function(i4, n3, r4, t4) {
  if (t4 < 3) n3.__$f |= 2;
  i4(n3, r4, t4);
});
x.prototype.shouldComponentUpdate = function(i4, n3) {
  if (this.__R) return true;
  var r4 = this.__$u, t4 = r4 && void 0 !== r4.s;
  for (var f5 in n3) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    var o5 = 2 & this.__$f;
    if (!(t4 || o5 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(t4 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (var e4 in i4) if ("__source" !== e4 && i4[e4] !== this.props[e4]) return true;
  for (var u4 in this.props) if (!(u4 in i4)) return true;
  return false;
};
function useSignal(i4, n3) {
  return w2(function() {
    return y3(i4, n3);
  }, []);
}
function useComputed(i4, n3) {
  var r4 = T2(i4);
  r4.current = i4;
  d4.__$f |= 4;
  return w2(function() {
    return O(function() {
      return r4.current();
    }, n3);
  }, []);
}
var A3 = function(i4) {
  queueMicrotask(function() {
    queueMicrotask(i4);
  });
};
function F3() {
  r3(function() {
    var i4;
    while (i4 = g4.shift()) h4.call(i4);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}

// src/session.ts
var session_exports = {};
__export(session_exports, {
  activeStage: () => activeStage,
  activeView: () => activeView,
  ask: () => ask,
  bonesShown: () => bonesShown,
  curvesShown: () => curvesShown,
  dismissToast: () => dismissToast,
  drafts: () => drafts,
  failure: () => failure,
  following: () => following,
  link: () => link,
  motionTime: () => motionTime,
  panelOpen: () => panelOpen,
  parallel: () => parallel,
  radius: () => radius,
  sendThrough: () => sendThrough,
  showRefused: () => showRefused,
  showTold: () => showTold,
  shownFrame: () => shownFrame,
  skin: () => skin,
  stage: () => stage,
  state: () => state,
  toasts: () => toasts,
  view: () => view
});
var state = y3(null);
var link = y3({ open: false, reason: "" });
var failure = y3(null);
var motionTime = y3(0);
var shownFrame = y3(0);
var toasts = y3([]);
var radius = y3(0.06);
var following = y3(true);
var parallel = y3(false);
var panelOpen = y3(true);
var bonesShown = y3(false);
var curvesShown = y3(false);
var activeView = y3(0);
var activeStage = y3(null);
var view = O(() => {
  const views2 = state.value?.views ?? [];
  return views2[activeView.value] ?? views2[0] ?? null;
});
var stage = O(() => {
  const stages = view.value?.stages ?? [];
  return stages.find(({ name }) => name === activeStage.value) ?? stages.at(-1) ?? null;
});
var skin = O(() => view.value?.stages.at(-1)?.skin ?? "");
var drafts = y3({});
var sender = () => null;
function sendThrough(send2) {
  sender = send2;
}
function ask(command) {
  return sender(command);
}
var MOST_TOASTS = 3;
var lastToast = 0;
function showRefused(refused) {
  const words = ({ where, given, needed, advice }) => [where, given, needed, advice].join("\n");
  const same = toasts.value.find((toast) => "refused" in toast && words(toast.refused) === words(refused));
  if (same)
    toasts.value = toasts.value.map(
      (toast) => toast === same ? { ...toast, times: toast.times + 1 } : toast
    );
  else addToast({ id: ++lastToast, times: 1, refused });
}
function showTold(text) {
  addToast({ id: ++lastToast, times: 1, text });
}
function dismissToast(id) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
function addToast(toast) {
  toasts.value = [...toasts.value, toast].slice(-MOST_TOASTS);
}

// src/amounts.ts
var KEPT = 8;
var waiting = /* @__PURE__ */ new Map();
var amounts = y3({});
function newestAmounts(frame2) {
  waiting.set(frame2.frame, frame2.amounts);
  for (const old of waiting.keys()) if (waiting.size > KEPT) waiting.delete(old);
}
function showAmounts(frame2) {
  const values2 = waiting.get(frame2);
  const { shapes = [], poses = [] } = state.peek()?.edits ?? {};
  const names = [...shapes, ...poses];
  if (!values2 || values2.length !== names.length) return;
  amounts.value = Object.fromEntries(names.map((name, i4) => [name, values2[i4]]));
}

// src/capture.ts
var KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
var BITS = 8e6;
var TICK = 200;
var recordedSeconds = y3(null);
var film = null;
function lay(stage2, sheet) {
  const { width: width2, height: height2 } = stage2.canvas;
  if (sheet.width !== width2) sheet.width = width2;
  if (sheet.height !== height2) sheet.height = height2;
  const pen = sheet.getContext("2d");
  const ground = pen.createRadialGradient(
    width2 / 2,
    0.35 * height2,
    0,
    width2 / 2,
    0.35 * height2,
    0.9 * height2
  );
  ground.addColorStop(0, colour("--stage-high"));
  ground.addColorStop(1, colour("--stage-low"));
  pen.fillStyle = ground;
  pen.fillRect(0, 0, width2, height2);
  pen.drawImage(stage2.canvas, 0, 0);
}
function colour(name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
function takePicture(stage2, scale) {
  const sheet = document.createElement("canvas");
  stage2.drawAt(scale, () => lay(stage2, sheet));
  sheet.toBlob((blob) => {
    if (blob) save(blob, `${fileName()}${scale === 2 ? "@2x" : ""}.png`);
    else showTold("The picture could not be made.");
  }, "image/png");
}
function toggleRecording(stage2) {
  if (film) {
    film.recorder.stop();
    return;
  }
  const kind = KINDS.find((one) => globalThis.MediaRecorder?.isTypeSupported(one));
  if (!kind) {
    showTold("This browser cannot record; export a film instead.");
    return;
  }
  const sheet = document.createElement("canvas");
  lay(stage2, sheet);
  const recorder = new MediaRecorder(sheet.captureStream(), { mimeType: kind, videoBitsPerSecond: BITS });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    clearInterval(film?.timer);
    film = null;
    recordedSeconds.value = null;
    save(new Blob(parts, { type: kind }), `${fileName()}.${kind.includes("mp4") ? "mp4" : "webm"}`);
  };
  const began = performance.now();
  recordedSeconds.value = 0;
  const tick = () => {
    recordedSeconds.value = Math.floor((performance.now() - began) / 1e3);
  };
  film = { sheet, recorder, timer: window.setInterval(tick, TICK) };
  recorder.start(1e3);
  stage2.redraw();
}
function recordPicture(stage2) {
  if (film) lay(stage2, film.sheet);
}
function fileName() {
  const now = state.value;
  const name = now?.saving.name ?? now?.character.replace(/\..*$/, "") ?? "supple";
  return `${name} ${(/* @__PURE__ */ new Date()).toTimeString().slice(0, 8).replaceAll(":", ".")}`;
}
function save(blob, name) {
  const link2 = document.createElement("a");
  link2.href = URL.createObjectURL(blob);
  link2.download = name;
  link2.click();
  setTimeout(() => URL.revokeObjectURL(link2.href), 6e4);
}

// src/curves.ts
var PARTS = 160;
var CURVES = [
  { name: "volume", label: "Volume", unit: "%", figures: 1 },
  { name: "stretch", label: "Largest stretch", unit: "%", figures: 0 },
  { name: "speed", label: "Mean speed", unit: "m/s", figures: 2 }
];
var changes = y3(0);
var values = /* @__PURE__ */ new Map();
var about = "";
function takeCurves({ time, views: views2 }, motion, duration) {
  if (!duration) return;
  const now = `${motion} ${duration} ${views2.length}`;
  if (now !== about) values.clear();
  about = now;
  const place = (time % duration + duration) % duration;
  const part = Math.min(PARTS - 1, Math.floor(PARTS * place / duration));
  for (const { name } of CURVES) {
    const kept2 = values.get(name) ?? views2.map(() => new Float32Array(PARTS).fill(Number.NaN));
    views2.forEach((view2, i4) => {
      kept2[i4][part] = view2[name] ?? Number.NaN;
    });
    values.set(name, kept2);
  }
  changes.value++;
}
function valuesOf(name) {
  return values.get(name) ?? [];
}
function valueAt(of, part) {
  for (let away = 0; away <= PARTS / 20; away++)
    for (const at of [part - away, part + away]) {
      const value = of[at];
      if (value !== void 0 && !Number.isNaN(value)) return value;
    }
  return null;
}

// src/endure.ts
var ENDURE = /^#endure=([\d.]+),(\d+)$/;
var endurance = ENDURE.exec(location.hash);
async function endure([, minutes, times]) {
  const [duration, changes2] = [6e4 * Number(minutes), Number(times)];
  while (state.value === null) await wait(100);
  const { skins } = state.value;
  const begun = performance.now();
  for (let i4 = 1; i4 <= changes2; i4++) {
    ask({ do: "choose-skin", skin: skins[i4 % skins.length] });
    await wait(begun + i4 * duration / changes2 - performance.now());
  }
  await fetch("/measured", { method: "POST", body: JSON.stringify({ changes: changes2 }) });
}
function wait(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

// src/frames.ts
var FRAME_MAGIC = 1179406419;
var MESH_MAGIC = 1296846931;
var HEAD = 64;
var SKIN = 1;
var COLOURS = 2;
var JOINTS = 3;
var TRAIL = 4;
var AMOUNTS = 5;
var THINGS = 6;
var LINES = 7;
function readFrame(message) {
  if (message.byteLength < HEAD) return null;
  const head = new DataView(message, 0, HEAD);
  if (head.getUint32(0, true) !== FRAME_MAGIC || head.getUint8(4) !== 1) return null;
  const kind = head.getUint8(5);
  const count = head.getUint32(40, true);
  const about2 = {
    view: head.getUint32(8, true),
    mesh: head.getUint32(12, true),
    frame: head.getUint32(16, true)
  };
  if (kind === JOINTS && message.byteLength >= HEAD + 48 * count)
    return { kind: "joints", ...about2, transforms: new Float32Array(message, HEAD, 12 * count) };
  if (kind === THINGS && message.byteLength >= HEAD + 48 * count)
    return { kind: "things", ...about2, transforms: new Float32Array(message, HEAD, 12 * count) };
  if (kind === COLOURS && message.byteLength >= HEAD + count) {
    const [low, high] = [head.getFloat32(44, true), head.getFloat32(48, true)];
    return { kind: "colours", ...about2, low, high, values: new Uint8Array(message, HEAD, count) };
  }
  if (kind === LINES && message.byteLength >= HEAD + 24 * count) {
    const places = new Float32Array(message, HEAD, 6 * count);
    return { kind: "lines", ...about2, longest: head.getFloat32(44, true), places };
  }
  if (kind === TRAIL && message.byteLength >= HEAD + 12 * count)
    return { kind: "trail", ...about2, places: new Float32Array(message, HEAD, 3 * count) };
  if (kind === AMOUNTS && message.byteLength >= HEAD + 4 * count)
    return { kind: "amounts", ...about2, amounts: new Float32Array(message, HEAD, count) };
  if (kind !== SKIN || message.byteLength < HEAD + 8 * count) return null;
  return {
    kind: "skin",
    ...about2,
    lastCommand: head.getUint32(20, true),
    motionTime: head.getFloat64(24, true),
    fleshTime: head.getFloat64(32, true),
    low: [head.getFloat32(44, true), head.getFloat32(48, true), head.getFloat32(52, true)],
    side: head.getFloat32(56, true),
    engineMicroseconds: head.getUint32(60, true),
    packed: new Uint16Array(message, HEAD, 4 * count)
  };
}
function rootOf({ low, side }) {
  return [low[0] + side / 2, low[1] + side / 2, low[2] + side / 2];
}
function readMesh(message) {
  const head = new Uint32Array(message, 0, 5);
  const [magic, version, points = 0, triangles = 0, vertices = 0] = head;
  if (magic !== MESH_MAGIC || version !== 1)
    throw new Error("this is no mesh of the studio; reload the page");
  return {
    points,
    triangles: new Uint32Array(message, 20, 3 * triangles),
    vertexOfPoint: new Uint32Array(message, 20 + 12 * triangles, points),
    jointOfVertex: new Uint32Array(message, 20 + 12 * triangles + 4 * points, vertices)
  };
}

// src/looking.ts
var REST = 700;
var MOVED = 0.02;
var Looking = class {
  constructor(stage2) {
    this.stage = stage2;
  }
  stage;
  said = [];
  opened = null;
  timer = 0;
  /** After every picture. */
  update() {
    const saving = state.value?.saving;
    if (saving && saving.opened !== this.opened && this.stage.skin?.frame) {
      this.opened = saving.opened;
      if (saving.camera) this.stage.lookFrom(saving.camera.position, saving.camera.target);
    }
    const now = this.stage.looked();
    if (!now || now.every((value, i4) => Math.abs(value - (this.said[i4] ?? Number.NaN)) < MOVED)) return;
    this.said = now;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.say(), REST);
  }
  say() {
    const [x3, y5, z3, tx, ty, tz] = this.said;
    ask({ do: "look-from", position: [x3, y5, z3], target: [tx, ty, tz] });
  }
};

// src/scene/marks.ts
import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineBasicMaterial,
  LineLoop,
  Vector3 as Vector32
} from "./three.js";

// src/scene/looks.ts
import { Color, Vector3 } from "./three.js";
var KEY_DIRECTION = new Vector3(0.45, 0.8, 0.5).normalize();
var linear = (hex, strength3 = 1) => new Color(hex).multiplyScalar(strength3);
var LOOKS = {
  dark: {
    skin_colour: linear(14198156),
    thing_colour: linear(8365769),
    sky: linear(9676742, 0.5),
    floor_light: linear(4866104, 0.6),
    key_colour: linear(16773596, 0.95),
    fill_colour: linear(12894412, 0.5),
    rim_colour: linear(11126015, 0.3),
    line_colour: linear(9345968),
    line_strength: 0.4,
    shadow_strength: 0.62,
    ring: 16767392,
    earlier: linear(7315432),
    later: linear(15246447),
    bones: 15922682,
    axes: [15043195, 10273930, 8826598]
  },
  light: {
    skin_colour: linear(14000006),
    thing_colour: linear(7313341),
    sky: linear(16777215, 0.5),
    floor_light: linear(13220008, 0.32),
    key_colour: linear(16774116, 0.88),
    fill_colour: linear(14604764, 0.42),
    rim_colour: linear(16777215, 0.16),
    line_colour: linear(7108230),
    line_strength: 0.38,
    shadow_strength: 0.42,
    ring: 8010258,
    earlier: linear(4026308),
    later: linear(12874813),
    bones: 2568253,
    axes: [11812911, 5209914, 3105965]
  }
};

// src/scene/marks.ts
var CORNERS = 72;
var FORWARD = new Vector32(0, 0, 1);
function circle() {
  const positions = new Float32Array(3 * CORNERS);
  for (let i4 = 0; i4 < CORNERS; i4++) {
    positions[3 * i4] = Math.cos(2 * Math.PI * i4 / CORNERS);
    positions[3 * i4 + 1] = Math.sin(2 * Math.PI * i4 / CORNERS);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
}
var HandMark = class {
  constructor(home, look2) {
    this.home = home;
    this.material = new LineBasicMaterial({ color: LOOKS[look2].ring, transparent: true, depthTest: false });
    this.ring = new LineLoop(circle(), this.material);
    this.tether = new Line(new BufferGeometry().setAttribute("position", this.ends), this.material);
    for (const mark of [this.ring, this.tether]) {
      mark.frustumCulled = false;
      mark.renderOrder = 10;
      mark.visible = false;
      home.add(mark);
    }
  }
  home;
  ring;
  tether;
  material;
  ends = new BufferAttribute(new Float32Array(6), 3);
  wear(look2) {
    this.material.color.set(LOOKS[look2].ring);
  }
  /** Be seen with something else from now on. */
  moveTo(home) {
    if (home === this.home) return;
    this.home = home.add(this.ring, this.tether);
  }
  hide() {
    this.ring.visible = false;
    this.tether.visible = false;
  }
  /** A ring on the skin; a line from there to the hand where one holds it. */
  show(position, normal, radius2, hand) {
    this.material.opacity = hand ? 0.95 : 0.55;
    this.ring.visible = true;
    this.ring.position.copy(position).addScaledVector(normal, 0.02 * radius2);
    this.ring.quaternion.setFromUnitVectors(FORWARD, normal);
    this.ring.scale.setScalar(radius2);
    this.tether.visible = hand !== null;
    if (!hand) return;
    this.ends.setXYZ(0, position.x, position.y, position.z);
    this.ends.setXYZ(1, hand.x, hand.y, hand.z);
    this.ends.needsUpdate = true;
  }
  dispose() {
    this.home.remove(this.ring, this.tether);
    this.ring.geometry.dispose();
    this.tether.geometry.dispose();
    this.material.dispose();
  }
};

// src/tools/drag.ts
import { Vector3 as Vector34 } from "./three.js";

// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f4 = /* @__PURE__ */ Symbol.for("pv");
var o4 = 0;
function a4(t4, e4, n3, u4, a5, i4) {
  e4 || (e4 = {});
  var c4, l4, p5 = e4;
  if ("ref" in p5 && "function" != typeof t4) for (l4 in p5 = {}, e4) "ref" == l4 ? c4 = e4[l4] : p5[l4] = e4[l4];
  var s4 = { type: t4, props: p5, key: n3, ref: c4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
  return (a5 || i4) && (s4.__source = a5, s4.__self = i4), n.vnode && n.vnode(s4), s4;
}

// src/ui/drag_options.tsx
var holding = y3(false);
var pushing = y3(false);
var lastHeld = y3(null);
function keepShape() {
  ask({ do: "keep-shape", view: view.value?.view ?? 0 });
}
function DragOptions() {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("label", { class: "tool-switch", title: "The farther the hand is from its place, the harder it pushes", children: [
      /* @__PURE__ */ a4("span", { children: "Push instead of holding" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": pushing.value,
          checked: pushing.value,
          onChange: (event) => {
            pushing.value = event.currentTarget.checked;
          }
        }
      )
    ] }),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button outlined",
        disabled: !holding.value,
        title: "What the hand makes of the flesh becomes a shape, which goes along in every pose (Enter, while it is held)",
        onClick: keepShape,
        children: [
          "Keep this shape ",
          /* @__PURE__ */ a4("kbd", { children: "Enter" })
        ]
      }
    )
  ] });
}

// src/tools/tool.ts
import { Vector2, Vector3 as Vector33 } from "./three.js";
function pixelOf(stage2, event, pane = stage2.pane) {
  const canvas = stage2.canvas.getBoundingClientRect();
  const { left, top } = stage2.boxOf(pane);
  return new Vector2(event.clientX - canvas.left - left, event.clientY - canvas.top - top);
}
function movesOf(event) {
  const all = event.getCoalescedEvents?.() ?? [];
  return all.length > 0 ? all : [event];
}
function rayThrough(stage2, pixel) {
  const { width: width2, height: height2 } = stage2.boxOf(stage2.pane);
  const { camera } = stage2.viewer;
  return new Vector33(2 * pixel.x / width2 - 1, 1 - 2 * pixel.y / height2, 0.5).unproject(camera).sub(camera.position).normalize();
}
function placeAt(stage2, pixel) {
  return stage2.pick(rayThrough(stage2, pixel));
}

// src/tools/drag.ts
var MOST_HOVER_TRIANGLES = 6e4;
var PUSH = 400;
var SHORTEST_WAIT = 15;
var DragFlesh = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.look = look2;
    this.hoverMark = new HandMark(stage2.scene, look2);
    x2(() => {
      radius.value;
      stage2.redraw();
    });
  }
  stage;
  look;
  id = "drag";
  name = "Drag flesh";
  key = "G";
  icon = "hand";
  hint = "Press on the skin and drag; several fingers are several hands.";
  options = DragOptions;
  hands = /* @__PURE__ */ new Map();
  hoverMark;
  pointer = null;
  wear(look2) {
    this.look = look2;
    this.hoverMark.wear(look2);
    for (const hand of this.hands.values()) hand.mark.wear(look2);
  }
  /** Before every picture: hands stay under their pointers while the camera goes along, and marks on the skin. */
  update() {
    for (const [pointer, hand] of this.hands) {
      if (hand.mesh !== hand.pane.skin?.number || !this.stage.panes.includes(hand.pane)) this.letGo(pointer);
      else this.carry(hand);
    }
    this.updateHover();
  }
  /** How far hands are from the places that they hold in the frame that is shown, at most [m]. */
  farthest() {
    const [position, normal] = [new Vector34(), new Vector34()];
    const off = [...this.hands.values()].map(({ pane, place, at }) => {
      pane.skin.surface(place, position, normal);
      return position.distanceTo(at);
    });
    return Math.max(0, ...off);
  }
  /** A hand whose command was refused opens. */
  refused({ seq }) {
    for (const [pointer, hand] of this.hands) if (hand.commands.has(seq)) this.letGo(pointer);
  }
  lost() {
    for (const pointer of [...this.hands.keys()]) this.letGo(pointer);
  }
  down(event) {
    const { pane, skin: skin2, viewer } = this.stage;
    const pixel = pixelOf(this.stage, event);
    const place = placeAt(this.stage, pixel);
    if (!skin2 || !place) return false;
    const [at, normal] = [new Vector34(), new Vector34()];
    skin2.surface(place, at, normal);
    const forward = viewer.camera.getWorldDirection(new Vector34());
    holding.value = true;
    const nearest = place.shares.indexOf(Math.max(...place.shares));
    lastHeld.value = skin2.data.vertexOfPoint[place.points[nearest]];
    this.hands.set(event.pointerId, {
      name: `pointer-${event.pointerId}`,
      place,
      vertices: place.points.map((point) => skin2.data.vertexOfPoint[point]),
      mesh: skin2.number,
      way: this.wayThrough(pixel),
      depth: at.clone().sub(viewer.camera.position).dot(forward),
      at,
      sent: null,
      commands: /* @__PURE__ */ new Set(),
      mark: new HandMark(pane.group, this.look),
      pane
    });
    return true;
  }
  move(event) {
    const hand = this.hands.get(event.pointerId);
    if (!hand) return;
    hand.way = this.wayThrough(pixelOf(this.stage, event, hand.pane));
    if (hand.mesh === hand.pane.skin?.number) this.carry(hand);
  }
  up(event) {
    this.letGo(event.pointerId);
  }
  hear(key) {
    if (key !== "Enter" || this.hands.size === 0) return false;
    keepShape();
    return true;
  }
  hover(event) {
    this.pointer = event && pixelOf(this.stage, event);
  }
  leave() {
    this.lost();
    this.pointer = null;
    this.hoverMark.hide();
    this.stage.canvas.classList.remove("on-skin", "holding");
  }
  letGo(pointer) {
    const hand = this.hands.get(pointer);
    if (!hand) return;
    this.hands.delete(pointer);
    holding.value = this.hands.size > 0;
    hand.mark.dispose();
    if (hand.sent) ask({ do: "let-go", hand: hand.name });
    this.stage.redraw();
  }
  wayThrough(pixel) {
    const turn = this.stage.viewer.camera.quaternion.clone().invert();
    return rayThrough(this.stage, pixel).applyQuaternion(turn);
  }
  carry(hand) {
    const { viewer } = this.stage;
    const direction = hand.way.clone().applyQuaternion(viewer.camera.quaternion);
    const forward = viewer.camera.getWorldDirection(new Vector34());
    hand.at.copy(viewer.camera.position).addScaledVector(direction, hand.depth / direction.dot(forward));
    this.tell(hand);
    const [position, normal] = [new Vector34(), new Vector34()];
    hand.pane.skin.surface(hand.place, position, normal);
    hand.mark.show(position, normal, radius.value, hand.at);
  }
  tell(hand) {
    const now = performance.now();
    const last2 = hand.sent;
    const frame2 = hand.pane.skin.frame;
    const along = following.value;
    const to = hand.at.clone();
    if (along) to.sub(new Vector34(...rootOf(frame2)));
    const same = last2 && last2.along === along && last2.to.distanceTo(to) < 1e-5 && last2.radius === radius.value;
    if (same) return;
    if (last2 && now - last2.time < SHORTEST_WAIT * Math.max(1, this.hands.size / 2)) {
      this.stage.redraw();
      return;
    }
    const force2 = pushing.value ? this.push(hand) : null;
    const seq = ask({
      do: "hold",
      hand: hand.name,
      vertices: hand.vertices,
      shares: hand.place.shares,
      to: to.toArray(),
      along: along && !force2 ? frame2.frame : null,
      force: force2,
      radius: radius.value,
      view: hand.pane.number
    });
    if (seq === null) return;
    hand.sent = { to, along, time: now, radius: radius.value };
    hand.commands.add(seq);
  }
  /** The force of a hand [N], the harder the farther it is from its place. */
  push({ pane, place, at }) {
    const [position, normal] = [new Vector34(), new Vector34()];
    pane.skin.surface(place, position, normal);
    return at.clone().sub(position).multiplyScalar(PUSH).toArray();
  }
  updateHover() {
    const { skin: skin2, canvas } = this.stage;
    const place = this.pointer && skin2 && skin2.data.triangles.length / 3 < MOST_HOVER_TRIANGLES && this.hands.size === 0 ? placeAt(this.stage, this.pointer) : null;
    canvas.classList.toggle("on-skin", place !== null);
    canvas.classList.toggle("holding", this.hands.size > 0);
    if (!place || !skin2) {
      this.hoverMark.hide();
      return;
    }
    const [position, normal] = [new Vector34(), new Vector34()];
    skin2.surface(place, position, normal);
    this.hoverMark.moveTo(this.stage.pane.group);
    this.hoverMark.show(position, normal, radius.value, null);
  }
};

// src/scene/disc.ts
import {
  BufferAttribute as BufferAttribute2,
  BufferGeometry as BufferGeometry2,
  LineBasicMaterial as LineBasicMaterial2,
  LineLoop as LineLoop2,
  Mesh,
  MeshBasicMaterial,
  Vector3 as Vector35
} from "./three.js";
var SIDES = 48;
var FACING = new Vector35(0, 0, 1);
var Disc = class {
  constructor(parent, look2) {
    this.parent = parent;
    const round = Array.from({ length: SIDES }, (_4, i4) => {
      const angle = 2 * Math.PI * i4 / SIDES;
      return [Math.cos(angle), Math.sin(angle), 0];
    });
    const fan = round.flatMap((at, i4) => [0, 0, 0, ...at, ...round[(i4 + 1) % SIDES]]);
    const geometry = (places) => new BufferGeometry2().setAttribute("position", new BufferAttribute2(new Float32Array(places), 3));
    const seen = { transparent: true, depthTest: false, depthWrite: false };
    this.face = new Mesh(geometry(fan), new MeshBasicMaterial({ ...seen, side: 2 }));
    this.rim = new LineLoop2(geometry(round.flat()), new LineBasicMaterial2(seen));
    for (const part of this.parts) {
      part.renderOrder = 11;
      part.frustumCulled = false;
      parent.add(part);
    }
    this.wear(look2);
  }
  parent;
  face;
  rim;
  wear(look2) {
    for (const part of this.parts) part.material.color.set(LOOKS[look2].ring);
  }
  show(center, normal, radius2, lit) {
    for (const part of this.parts) {
      part.visible = true;
      part.position.copy(center);
      part.quaternion.setFromUnitVectors(FACING, normal);
      part.scale.setScalar(radius2);
    }
    this.face.material.opacity = lit ? 0.3 : 0.08;
    this.rim.material.opacity = lit ? 1 : 0.45;
  }
  hide() {
    for (const part of this.parts) part.visible = false;
  }
  dispose() {
    for (const part of this.parts) {
      this.parent.remove(part);
      part.geometry.dispose();
      part.material.dispose();
    }
  }
  get parts() {
    return [this.face, this.rim];
  }
};

// src/scene/gizmo.ts
import {
  BufferAttribute as BufferAttribute3,
  BufferGeometry as BufferGeometry3,
  DynamicDrawUsage,
  Line as Line2,
  LineBasicMaterial as LineBasicMaterial3,
  Vector2 as Vector22,
  Vector3 as Vector36
} from "./three.js";
var RADIUS = 76;
var POINTS = 65;
var NEAR = 8;
var SIZE_HANDLE = new Vector22(0.78, 0.78);
var SQUARE = 6;
var CORNERS2 = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1]
];
var Gizmo = class {
  center = new Vector36();
  lines;
  materials;
  axes = [new Vector36(), new Vector36(), new Vector36()];
  square;
  stem;
  radius = 1;
  // [m]
  up = 1;
  // -1 where the handle of the size stands below, since there is no room above
  lit = null;
  constructor(scene, look2) {
    this.materials = Array.from(
      { length: 5 },
      () => new LineBasicMaterial3({ transparent: true, depthTest: false })
    );
    const points = [POINTS, POINTS, POINTS, 3, 5, 2];
    this.lines = points.map((count, i4) => {
      const material = this.materials[Math.min(i4, 4)];
      const places = new BufferAttribute3(new Float32Array(3 * count), 3);
      const geometry = new BufferGeometry3().setAttribute("position", places.setUsage(DynamicDrawUsage));
      const line = new Line2(geometry, material);
      line.frustumCulled = false;
      line.renderOrder = 12;
      line.visible = false;
      scene.add(line);
      return line;
    });
    [this.square, this.stem] = [this.lines[4], this.lines[5]];
    this.wear(look2);
  }
  wear(look2) {
    LOOKS[look2].axes.forEach((colour2, i4) => void this.materials[i4].color.set(colour2));
    this.materials[3].color.set(LOOKS[look2].ring);
    this.materials[4].color.set(LOOKS[look2].ring);
  }
  hide() {
    for (const line of this.lines) line.visible = false;
  }
  /** Rings about a place with these axes; one alone, in full, while it is being turned by `spoke` and `angle`.
  
     While it is `scaling`, so many times as large as it was, there is only the square, as far out. */
  show(center, axes, camera, window2, turning, scaling = null) {
    this.center.copy(center);
    axes.forEach((axis, i4) => void this.axes[i4].copy(axis));
    if (turning) this.axes[turning.ring].copy(turning.axis);
    const depth = center.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector36()));
    const height2 = 2 * Math.tan(camera.fov * Math.PI / 360) * Math.max(depth, 1e-6);
    this.radius = RADIUS * height2 / Math.max(1, window2.height);
    this.up = pixelOfPlace(center, camera, window2).y < RADIUS ? -1 : 1;
    this.axes.forEach((axis, ring) => {
      const line = this.lines[ring];
      line.visible = scaling === null && (!turning || turning.ring === ring);
      if (line.visible) this.draw(ring, axis, camera, turning !== null);
      this.materials[ring].opacity = turning || this.lit === ring ? 1 : this.lit === null ? 0.85 : 0.4;
    });
    this.materials[4].opacity = scaling !== null || this.lit === "size" ? 1 : this.lit === null ? 0.85 : 0.4;
    this.drawWedge(turning);
    this.drawSizeHandle(camera, scaling ?? 1, turning === null);
  }
  /** Light the ring that is meant, or the handle of the size. */
  light(ring) {
    this.lit = ring;
  }
  /** Whether a pixel means the handle of the size. */
  isOnSize(pixel, camera, window2) {
    if (!this.square.visible) return false;
    const at = pixelOfPlace(this.sizeHandle(camera, 1), camera, window2);
    return at.distanceTo(pixel) < SQUARE + 4;
  }
  sizeHandle(camera, scale) {
    const [right, up] = [new Vector36(), new Vector36()];
    camera.matrixWorld.extractBasis(right, up, new Vector36());
    const out = right.multiplyScalar(SIZE_HANDLE.x).addScaledVector(up, this.up * SIZE_HANDLE.y);
    return out.multiplyScalar(this.radius * scale).add(this.center);
  }
  /** A square on a stem from the middle, as far out as it is large. */
  drawSizeHandle(camera, scale, visible) {
    this.square.visible = this.stem.visible = visible;
    if (!visible) return;
    const [right, up] = [new Vector36(), new Vector36()];
    camera.matrixWorld.extractBasis(right, up, new Vector36());
    const half = SQUARE / RADIUS * this.radius;
    const at = this.sizeHandle(camera, scale);
    const square = this.square.geometry.getAttribute("position");
    for (const [i4, [x3, y5]] of CORNERS2.entries()) {
      const corner = at.clone().addScaledVector(right, half * x3).addScaledVector(up, half * y5);
      square.setXYZ(i4, corner.x, corner.y, corner.z);
    }
    square.needsUpdate = true;
    const stem = this.stem.geometry.getAttribute("position");
    const way = at.clone().sub(this.center);
    const from = this.center.clone().addScaledVector(way, Math.min(0.2, 0.2 / scale));
    const to = at.addScaledVector(way.normalize(), -Math.SQRT2 * half);
    [from, to].forEach((place, i4) => void stem.setXYZ(i4, place.x, place.y, place.z));
    stem.needsUpdate = true;
  }
  /** The ring under a pixel, if there is one. */
  pick(pixel, camera, window2) {
    let [nearest, found] = [NEAR, null];
    this.lines.slice(0, 3).forEach((line, ring) => {
      if (!line.visible) return;
      const places = line.geometry.getAttribute("position");
      for (let i4 = 0; i4 < POINTS; i4++) {
        const at = new Vector36().fromBufferAttribute(places, i4);
        const away = pixelOfPlace(at, camera, window2).distanceTo(pixel);
        if (away < nearest) {
          nearest = away;
          found = { ring, axis: this.axes[ring].clone(), at };
        }
      }
    });
    return found;
  }
  draw(ring, axis, camera, full) {
    const toViewer = camera.position.clone().sub(this.center).normalize();
    const facing = toViewer.clone().addScaledVector(axis, -toViewer.dot(axis));
    if (facing.length() < 1e-6) facing.set(axis.y, axis.z, axis.x).cross(axis);
    facing.normalize();
    const side = new Vector36().crossVectors(axis, facing);
    const half = full || Math.abs(toViewer.dot(axis)) > 0.9 ? Math.PI : 0.5 * Math.PI;
    const places = this.lines[ring].geometry.getAttribute("position");
    for (let i4 = 0; i4 < POINTS; i4++) {
      const angle = half * (2 * i4 / (POINTS - 1) - 1);
      const at = this.center.clone().addScaledVector(facing, this.radius * Math.cos(angle)).addScaledVector(side, this.radius * Math.sin(angle));
      places.setXYZ(i4, at.x, at.y, at.z);
    }
    places.needsUpdate = true;
  }
  /** From where the ring was taken over the middle to where it is now. */
  drawWedge(turning) {
    const line = this.lines[3];
    line.visible = turning !== null;
    if (!turning) return;
    const places = line.geometry.getAttribute("position");
    const from = turning.spoke.clone().setLength(this.radius);
    const to = from.clone().applyAxisAngle(turning.axis, turning.angle);
    [from, new Vector36(), to].forEach((out, i4) => {
      places.setXYZ(i4, this.center.x + out.x, this.center.y + out.y, this.center.z + out.z);
    });
    places.needsUpdate = true;
  }
};
function pixelOfPlace(place, camera, window2) {
  const seen = place.clone().project(camera);
  if (seen.z > 1) return new Vector22(-1e6, -1e6);
  return new Vector22((0.5 + 0.5 * seen.x) * window2.width, (0.5 - 0.5 * seen.y) * window2.height);
}

// src/shown.ts
var range = y3([0, 1]);
function takeRange({ low, high }) {
  if (range.peek()[0] !== low || range.peek()[1] !== high) range.value = [low, high];
}
var longestArrow = y3(0);
function takeLongest({ longest }) {
  if (longestArrow.peek() !== longest) longestArrow.value = longest;
}
var joints = y3(/* @__PURE__ */ new Set());
function needJoints(who, needs) {
  if (joints.peek().has(who) === needs) return;
  const others = [...joints.peek()].filter((one) => one !== who);
  joints.value = new Set(needs ? [...others, who] : others);
}
x2(() => {
  const wanted3 = joints.value.size > 0;
  if (wanted3 && link.value.open && state.value && !state.value.shown.joints)
    ask({ do: "show", joints: true });
});
x2(() => {
  if (joints.value.size === 0 && state.peek()?.shown.joints) ask({ do: "show", joints: false });
});
x2(() => {
  const wanted3 = curvesShown.value;
  if (!link.value.open || !state.value) return;
  if (wanted3 && !state.value.shown.curves) ask({ do: "show", curves: true });
});
x2(() => {
  if (!curvesShown.value && state.peek()?.shown.curves) ask({ do: "show", curves: false });
});

// src/tools/dividers.tsx
import { Vector3 as Vector37 } from "./three.js";

// src/ui/words.ts
function plainName(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
var BREAKS = { quaternion: "quater­nion", ncremental: "ncre­mental" };
function breakable(name) {
  return Object.entries(BREAKS).reduce((made, [word, parts]) => made.replace(word, parts), name);
}
var SKIN_WORDS = {
  linear: "Skin goes with the bones. The least work; twists collapse.",
  "dual-quaternion": "Skin goes with the bones. Twists keep their girth, bends bulge outside.",
  "rotation-centers": "Skin goes with the bones. Neither collapses nor bulges.",
  "delta-mush": "Smooths rough weights and keeps detail.",
  incremental: "Hangs on the bones, without weights; bones may stretch.",
  springs: "Springs smooth the skin and hold it to the bones.",
  "spring-dynamics": "Springs in time: skin lags, swings and sends waves.",
  "position-based": "Flesh that keeps its volume, swings, and meets itself.",
  lattice: "Layers of muscle, fat and skin that swing.",
  contact: "Flesh on bones with muscles: things hit it, and it can go limp.",
  "pose-space": "Has learnt a slower skin from its bakes.",
  "pose-space-dynamics": "Has learnt a slower skin from its bakes, with its lag.",
  curves: "A few curves along the limbs, taught by a slower skin.",
  "curve-dynamics": "A few curves along the limbs, in time."
};
function twoFigures(value) {
  return (Math.round(100 * value) / 100 + 0).toFixed(2);
}
function sentence(part) {
  const whole = /[.!?…]$/.test(part) ? part : `${part}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

// src/tools/dividers.tsx
var NEAR2 = 16;
var SHORTEST_WAIT2 = 40;
var LARGEST = 0.09;
var CLICK = 3;
var chosen = y3(null);
var DividerPlanes = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.look = look2;
    this.gizmo = new Gizmo(stage2.scene, look2);
    x2(() => {
      const wanted3 = link.value.open && state.value && !(state.value.dividers.length > 0);
      if (this.within && wanted3 && this.offered()) ask({ do: "show", dividers: true });
    });
  }
  stage;
  look;
  id = "planes";
  name = "Planes between bones";
  key = "D";
  icon = "planes";
  hint = "Drag a plane to move where the skin of one bone ends; drag a ring to turn it.";
  discs = [];
  gizmo;
  drag = null;
  hovered = null;
  within = false;
  /** Where skin hangs on single bones. */
  offered() {
    return view.value?.maps.some(({ name }) => name === "reach_start") ?? false;
  }
  wear(look2) {
    this.look = look2;
    for (const disc of this.discs) disc.wear(look2);
    this.gizmo.wear(look2);
  }
  enter() {
    this.within = true;
    ask({ do: "show", dividers: true });
    needJoints(this.id, true);
    this.stage.showBones(true);
  }
  leave() {
    this.within = false;
    this.drag = null;
    chosen.value = null;
    for (const disc of this.discs) disc.dispose();
    this.discs = [];
    this.gizmo.hide();
    ask({ do: "show", dividers: false });
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
    this.stage.canvas.classList.remove("on-joint", "holding");
  }
  lost() {
    this.drag = null;
  }
  hear(key) {
    if (key !== "Escape" || chosen.value === null) return false;
    chosen.value = null;
    return true;
  }
  down(event) {
    if (this.drag) return false;
    const pixel = pixelOf(this.stage, event);
    const { camera } = this.stage.viewer;
    const hit = chosen.value === null ? null : this.gizmo.pick(pixel, camera, this.stage.boxOf(this.stage.pane));
    const divider = hit ? chosen.value : this.under(pixel);
    const before = divider === null ? void 0 : state.value?.dividers[divider];
    if (divider === null || !before) return false;
    const at = this.place(before).center;
    this.drag = {
      pointer: event.pointerId,
      divider,
      from: pixel,
      depth: at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector37())),
      before,
      ring: hit && { axis: hit.axis, spoke: hit.at.clone().sub(this.gizmo.center) },
      moved: false,
      by: before.by,
      turn: before.turn,
      sent: 0,
      fresh: false
    };
    chosen.value = divider;
    return true;
  }
  move(event) {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    const pixel = pixelOf(this.stage, event);
    drag.moved ||= pixel.distanceTo(drag.from) > CLICK;
    if (!drag.moved) return;
    const own = this.axes(drag.before.joint);
    if (drag.ring) {
      const seen = (place) => pixelOfPlace(place, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane));
      const at = this.gizmo.center.clone().add(drag.ring.spoke);
      const little = new Vector37().crossVectors(drag.ring.axis, drag.ring.spoke).multiplyScalar(0.01);
      const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100);
      const angle = pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
      drag.turn = plus(drag.before.turn, inAxes(own, drag.ring.axis.clone().multiplyScalar(angle)));
    } else {
      const forward = this.stage.viewer.camera.getWorldDirection(new Vector37());
      const [from, to] = [drag.from, pixel].map((one) => {
        const direction = rayThrough(this.stage, one);
        return direction.multiplyScalar(drag.depth / direction.dot(forward));
      });
      drag.by = plus(drag.before.by, inAxes(own, to.sub(from)));
    }
    drag.fresh = true;
    this.stage.redraw();
  }
  up(event, cancelled) {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.moved) return;
    const { divider, before } = drag;
    const [by, turn] = cancelled ? [before.by, before.turn] : [drag.by, drag.turn];
    ask({ do: "move-divider", divider, by, turn, done: !cancelled });
  }
  hover(event) {
    const pixel = event && pixelOf(this.stage, event);
    this.hovered = pixel && this.under(pixel);
    const hit = pixel && chosen.value !== null ? this.gizmo.pick(pixel, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane)) : null;
    this.gizmo.light(hit ? hit.ring : null);
    this.stage.canvas.classList.toggle("on-joint", this.hovered !== null || hit !== null);
  }
  /** Before every picture. */
  update() {
    if (!this.within) return;
    const { drag, stage: stage2 } = this;
    const planes = stage2.joints?.frame ? state.value?.dividers ?? [] : [];
    while (this.discs.length < planes.length) this.discs.push(new Disc(stage2.scene, this.look));
    for (const gone of this.discs.splice(planes.length)) gone.dispose();
    if (drag?.fresh && performance.now() - drag.sent > SHORTEST_WAIT2) {
      drag.sent = performance.now();
      drag.fresh = false;
      ask({ do: "move-divider", divider: drag.divider, by: drag.by, turn: drag.turn, done: false });
    } else if (drag?.fresh) stage2.redraw();
    planes.forEach((plane, number) => {
      const { center, normal, radius: radius2 } = this.place(this.dragged(plane, number));
      this.discs[number].show(center, normal, radius2, number === chosen.value || number === this.hovered);
    });
    const one = chosen.value === null ? void 0 : planes[chosen.value];
    if (!one || drag?.moved && !drag.ring) this.gizmo.hide();
    else {
      const { center } = this.place(this.dragged(one, chosen.value));
      this.gizmo.show(center, this.axes(one.joint), stage2.viewer.camera, stage2.boxOf(stage2.pane), null);
    }
    stage2.canvas.classList.toggle("holding", drag !== null);
  }
  options() {
    const plane = chosen.value === null ? void 0 : state.value?.dividers[chosen.value];
    const names = plane?.label.split(" | ").map(plainName);
    return /* @__PURE__ */ a4($, { children: [
      names && /* @__PURE__ */ a4("p", { children: [
        "Between ",
        /* @__PURE__ */ a4("b", { children: names[0] }),
        " and ",
        /* @__PURE__ */ a4("b", { children: names[1] })
      ] }),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button outlined",
          disabled: !state.value?.dividers.some(({ by, turn }) => [...by, ...turn].some((x3) => x3 !== 0)),
          onClick: () => ask({ do: "reset-dividers" }),
          children: "All planes as they were"
        }
      )
    ] });
  }
  /** A plane with what a hand is doing to it, which the engine may not have said again yet. */
  dragged(plane, number) {
    const { drag } = this;
    if (drag?.divider !== number) return plane;
    const point = plus(drag.before.point, minus(drag.by, drag.before.by));
    const turned = new Vector37(...minus(drag.turn, drag.before.turn));
    const angle = turned.length();
    const normal = new Vector37(...drag.before.normal);
    if (angle > 0) normal.applyAxisAngle(turned.normalize(), angle);
    return { ...plane, point, normal: normal.toArray() };
  }
  /** Axes of a joint in the world. */
  axes(joint) {
    const { transforms } = this.stage.joints.frame;
    const column = (i4) => new Vector37(
      transforms[12 * joint + i4],
      transforms[12 * joint + 4 + i4],
      transforms[12 * joint + 8 + i4]
    ).normalize();
    return [column(0), column(1), column(2)];
  }
  place({ joint, point, normal, size: size3 }) {
    const axes = this.axes(joint);
    const into = (values2) => axes.reduce((sum, axis, i4) => sum.addScaledVector(axis, values2[i4]), new Vector37());
    const radius2 = Math.min(0.45 * size3, LARGEST * (state.value?.mesh.size || 1.8));
    return { center: into(point).add(this.stage.joint(joint)), normal: into(normal), radius: radius2 };
  }
  under(pixel) {
    if (!this.stage.joints?.frame) return null;
    const window2 = this.stage.boxOf(this.stage.pane);
    const away = (state.value?.dividers ?? []).map(
      (plane) => pixelOfPlace(this.place(plane).center, this.stage.viewer.camera, window2).distanceTo(pixel)
    );
    const nearest = Math.min(...away);
    return nearest < NEAR2 ? away.indexOf(nearest) : null;
  }
};
function inAxes(axes, vector) {
  return axes.map((axis) => axis.dot(vector));
}
function plus(a5, b3) {
  return a5.map((one, i4) => one + b3[i4]);
}
function minus(a5, b3) {
  return a5.map((one, i4) => one - b3[i4]);
}

// src/scene/joint_dots.ts
import {
  BufferAttribute as BufferAttribute4,
  BufferGeometry as BufferGeometry4,
  Color as Color2,
  DynamicDrawUsage as DynamicDrawUsage2,
  GLSL3,
  Mesh as Mesh2,
  RawShaderMaterial,
  Vector2 as Vector23
} from "./three.js";
var LIT = 1;
var PINNED = 2;
var LARGE = 4;
var ROOMY = 460;
var SMALLEST = 0.6;
var CORNERS3 = [-1, -1, 1, -1, 1, 1, -1, 1];
var FACES = [0, 1, 2, 0, 2, 3];
var VERTEX = (
  /* glsl */
  `
precision highp float;
in vec3 position;
in vec3 corner; // and how it looks
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 window; // [CSS pixels]
uniform float size; // 1 is the usual one
out vec2 at; // [CSS pixels] from the middle
flat out float kind;
void main() {
  at = 11.0 * corner.xy;
  kind = corner.z;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_Position.xy += 2.0 * size * at / window * gl_Position.w;
}`
);
var FRAGMENT = (
  /* glsl */
  `
precision highp float;
in vec2 at;
flat in float kind;
uniform vec3 plain, lit, edge;
out vec4 colour;
void main() {
  float radius = kind >= 4.0 ? 6.5 : 4.0;
  bool square = mod(floor(kind / 2.0), 2.0) > 0.5;
  float away = square ? max(abs(at.x), abs(at.y)) + 0.5 : length(at);
  float inside = 1.0 - smoothstep(radius - 0.6, radius + 0.6, away);
  float rim = 1.0 - smoothstep(radius + 0.9, radius + 2.1, away);
  if (rim <= 0.0) discard;
  colour = vec4(mix(edge, mod(kind, 2.0) > 0.5 ? lit : plain, inside), rim * mix(0.7, 1.0, inside));
}`
);
var JointDots = class {
  constructor(scene, look2) {
    this.scene = scene;
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        window: { value: new Vector23(1, 1) },
        size: { value: 1 },
        plain: { value: new Color2() },
        lit: { value: new Color2() },
        edge: { value: new Color2() }
      }
    });
    this.mesh = new Mesh2(new BufferGeometry4(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 11;
    this.mesh.visible = false;
    this.scene.add(this.mesh);
    this.wear(look2);
  }
  scene;
  material;
  mesh;
  count = -1;
  wear(look2) {
    const { plain, lit, edge } = this.material.uniforms;
    plain.value.setHex(LOOKS[look2].bones, "");
    lit.value.setHex(LOOKS[look2].ring, "");
    edge.value.setHex(look2 === "dark" ? 1382429 : 16777215, "");
  }
  hide() {
    this.mesh.visible = false;
  }
  /** Dots where the joints are; `kinds` say how each looks. */
  show(places, kinds, { width: width2, height: height2 }) {
    if (places.length !== this.count) this.resize(places.length);
    const position = this.mesh.geometry.getAttribute("position");
    const corner = this.mesh.geometry.getAttribute("corner");
    places.forEach(({ x: x3, y: y5, z: z3 }, dot) => {
      for (let i4 = 4 * dot; i4 < 4 * dot + 4; i4++) {
        position.setXYZ(i4, x3, y5, z3);
        corner.setZ(i4, kinds[dot]);
      }
    });
    position.needsUpdate = true;
    corner.needsUpdate = true;
    this.material.uniforms.window.value.set(width2, height2);
    this.material.uniforms.size.value = Math.min(1, Math.max(SMALLEST, height2 / ROOMY));
    this.mesh.visible = true;
  }
  resize(count) {
    this.count = count;
    this.mesh.geometry.dispose();
    const corners = Array.from({ length: 4 * count }, (_4, i4) => [
      CORNERS3[2 * (i4 % 4)],
      CORNERS3[2 * (i4 % 4) + 1],
      0
    ]);
    const attribute = (values2) => new BufferAttribute4(values2, 3).setUsage(DynamicDrawUsage2);
    const geometry = new BufferGeometry4().setAttribute("position", attribute(new Float32Array(12 * count))).setAttribute("corner", attribute(new Float32Array(corners.flat())));
    geometry.setIndex(
      Array.from({ length: count }, (_4, dot) => FACES.map((corner) => 4 * dot + corner)).flat()
    );
    this.mesh.geometry = geometry;
  }
};

// src/tools/joints.ts
import { Vector3 as Vector38 } from "./three.js";
var NEAR3 = 13;
var SMALLEST2 = 0.2;
var LARGEST2 = 5;
var ON_IT = 5;
var pins = y3(/* @__PURE__ */ new Set());
var keyed = y3(false);
var ranged = y3(true);
var fresh = y3(false);
var limits = y3(/* @__PURE__ */ new Map());
var reaches = y3(/* @__PURE__ */ new Map());
function setLimit(joint, angle) {
  const others = new Map(limits.value);
  if (angle >= Math.PI - 1e-6) others.delete(joint);
  else others.set(joint, angle);
  limits.value = others;
}
function togglePin(joint) {
  const others = [...pins.value].filter((one) => one !== joint);
  pins.value = new Set(pins.value.has(joint) ? others : [...others, joint]);
}
function posingOptions(time) {
  const held = { pins: [...pins.value], ranges: ranged.value, limits: [...limits.value] };
  return { time, ...held, key: keyed.value, fresh: fresh.value };
}
function jointPlaces(stage2) {
  const joints2 = stage2.joints;
  if (!joints2?.frame) return [];
  return joints2.skeleton.names.map((_4, joint) => stage2.joint(joint, new Vector38()));
}
function jointUnder(stage2, pixel, near = NEAR3) {
  const { camera } = stage2.viewer;
  const window2 = stage2.boxOf(stage2.pane);
  let [nearest, found] = [near, null];
  jointPlaces(stage2).forEach((place, joint) => {
    const away = pixelOfPlace(place, camera, window2).distanceTo(pixel);
    if (away < nearest) [nearest, found] = [away, joint];
  });
  return found;
}
function jointSize(stage2, joint) {
  const { skeleton, frame: frame2 } = stage2.joints;
  const volume = (one) => {
    const m5 = frame2.transforms.subarray(12 * one, 12 * one + 12);
    const [x3, y5, z3] = [0, 1, 2].map((column) => new Vector38(m5[column], m5[4 + column], m5[8 + column]));
    return Math.abs(x3.dot(y5.cross(z3)));
  };
  const parent = skeleton.parents[joint];
  const beside = parent < 0 ? 1 : volume(parent);
  return Math.cbrt(volume(joint) / Math.max(beside, 1e-30)) / skeleton.sizes[joint];
}
function jointAxes(stage2, joint) {
  const { skeleton, frame: frame2 } = stage2.joints;
  const here = stage2.joint(joint);
  const along = new Vector38();
  skeleton.parents.forEach((parent2, child) => {
    if (parent2 === joint) along.add(stage2.joint(child).sub(here));
  });
  const parent = skeleton.parents[joint];
  if (along.length() < 1e-6 && parent >= 0) along.subVectors(here, stage2.joint(parent));
  if (along.length() < 1e-6) along.set(0, 1, 0);
  along.normalize();
  const at = 12 * joint;
  const columns = [0, 1, 2].map(
    (column) => new Vector38(
      frame2.transforms[at + column],
      frame2.transforms[at + 4 + column],
      frame2.transforms[at + 8 + column]
    )
  );
  const across2 = columns.reduce(
    (best, one) => Math.abs(one.dot(along)) / one.length() < Math.abs(best.dot(along)) / best.length() ? one : best
  );
  across2.addScaledVector(along, -across2.dot(along)).normalize();
  return [across2, along, new Vector38().crossVectors(across2, along)];
}

// src/tools/limp.tsx
var NEAR4 = 16;
var MUSCLES = "muscles.strength";
var strength = O(
  () => view.value?.stages.flatMap(({ settings }) => settings).find(({ name }) => name === MUSCLES)?.value ?? null
);
var limp = O(() => {
  const skeleton = state.value?.skeleton;
  if (!skeleton || strength.value === null) return /* @__PURE__ */ new Set();
  const pieces = String(strength.value).split(",").map((piece) => piece.trim().split("="));
  const all = Number(pieces.find(([, value]) => value === void 0)?.[0] ?? 1);
  const named = new Map(
    pieces.flatMap(([name, value]) => value === void 0 ? [] : [[name, Number(value)]])
  );
  const own = (joint) => {
    const value = named.get(skeleton.names[joint]);
    const parent = skeleton.parents[joint];
    return value ?? (parent < 0 ? all : own(parent));
  };
  return new Set(skeleton.names.flatMap((_4, joint) => own(joint) === 0 ? [joint] : []));
});
var LetLimp = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.dots = new JointDots(stage2.scene, look2);
    x2(() => {
      limp.value;
      stage2.redraw();
    });
  }
  stage;
  id = "limp";
  name = "Limp";
  key = "L";
  icon = "limp";
  hint = "Click a bone and its muscles go slack, with all that hangs on it; click again and they hold.";
  dots;
  hovered = null;
  within = false;
  /** Only skins whose skeleton is simulated have muscles. */
  offered() {
    return strength.value !== null;
  }
  wear(look2) {
    this.dots.wear(look2);
  }
  enter() {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }
  leave() {
    this.within = false;
    this.hovered = null;
    this.dots.hide();
    this.stage.canvas.classList.remove("on-joint");
    this.stage.canvas.title = "";
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }
  down(event) {
    const joint = this.boneUnder(pixelOf(this.stage, event));
    if (joint === null) return false;
    ask({ do: "limp", joint, view: view.value?.view ?? 0 });
    return true;
  }
  move() {
  }
  up() {
  }
  hover(event) {
    this.hovered = event && this.boneUnder(pixelOf(this.stage, event));
    this.stage.canvas.classList.toggle("on-joint", this.hovered !== null);
    this.stage.canvas.title = this.hovered === null ? "" : state.value?.skeleton.names[this.hovered] ?? "";
  }
  update() {
    const places = jointPlaces(this.stage);
    if (!this.within || places.length === 0) return;
    const kinds = Uint8Array.from(
      places,
      (_4, joint) => (limp.value.has(joint) ? LIT + PINNED : 0) + (joint === this.hovered ? LARGE : 0)
    );
    this.dots.show(places, kinds, this.stage.boxOf(this.stage.pane));
  }
  options() {
    const body = state.value?.skeleton.names.length ?? 0;
    const slack = limp.value.size > 0 && limp.value.size === body;
    return /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button outlined",
        onClick: () => ask({ do: "limp", view: view.value?.view ?? 0 }),
        children: slack ? "Tense the whole body" : "Let the whole body go limp"
      }
    );
  }
  /** The joint whose bone, on the way to the joints below it, is under a pixel. */
  boneUnder(pixel) {
    const { parents } = this.stage.joints?.skeleton ?? { parents: [] };
    const places = jointPlaces(this.stage);
    if (places.length === 0 || strength.value === null) return null;
    const window2 = this.stage.boxOf(this.stage.pane);
    const seen = places.map((place) => pixelOfPlace(place, this.stage.viewer.camera, window2));
    let [nearest, found] = [NEAR4, null];
    const consider = (joint, away) => {
      if (away < nearest) [nearest, found] = [away, joint];
    };
    parents.forEach((parent, joint) => {
      if (parent >= 0) consider(parent, distanceToPiece(pixel, seen[parent], seen[joint]));
      if (!parents.includes(joint)) consider(joint, seen[joint].distanceTo(pixel));
    });
    return found;
  }
};
function distanceToPiece(at, from, to) {
  const along = to.clone().sub(from);
  const square = along.lengthSq();
  const share = square > 0 ? Math.min(1, Math.max(0, at.clone().sub(from).dot(along) / square)) : 0;
  return from.clone().add(along.multiplyScalar(share)).distanceTo(at);
}

// src/tools/paint.ts
import { Vector3 as Vector39 } from "./three.js";

// src/tools/brush.ts
var mapName = y3("");
var shapeName = y3("");
var brushAction = y3("");
var strength2 = y3(0.5);
var softness = y3(0.8);
var fillValue = y3(null);
var mirror = y3(false);
var retouched = O(() => {
  const shapes = state.value?.edits.shapes ?? [];
  if (shapes.includes(shapeName.value)) return shapeName.value;
  return paintedMap.value ? null : shapes[0] ?? null;
});
var action = O(() => {
  const paint = state.value?.paint;
  const offered = (retouched.value === null ? paint?.actions : paint?.retouching) ?? [];
  if (offered.includes(brushAction.value)) return brushAction.value;
  const map = retouched.value === null ? paintedMap.value : null;
  const full = map !== null && map.default === map.high;
  return full && offered.includes("subtract") ? "subtract" : offered[0] ?? "";
});
var paintedMap = O(() => {
  const maps = view.value?.maps ?? [];
  return maps.find(({ name }) => name === mapName.value) ?? maps[0] ?? null;
});

// src/ui/scale.ts
var MUCH = 1e3;
var STEPS = 1e3;
function isLogarithmic(low, high) {
  return low > 0 && high / low > MUCH;
}
function toSlider(value, low, high) {
  const share = isLogarithmic(low, high) ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.round(STEPS * Math.min(1, Math.max(0, share)));
}
function fromSlider(place, row) {
  const [low, high] = [row.low, row.high];
  const share = place / STEPS;
  const value = isLogarithmic(low, high) ? low * (high / low) ** share : low + share * (high - low);
  const rounded = row.kind === "whole" ? Math.round(value) : Number(value.toPrecision(3));
  return Math.min(high, Math.max(low, rounded));
}
function length(metres2) {
  return metres2 < 1 ? `${(100 * metres2).toFixed(1)} cm` : `${metres2.toFixed(2)} m`;
}
function shown(value) {
  return String(Number(value.toPrecision(Math.abs(value) < 1 ? 4 : 6)));
}

// src/ui/brush.tsx
var TOUCHES = {
  erase: "Takes away what was drawn.",
  smooth: "Smooths what was drawn.",
  follow: "Skin under the brush follows what was drawn.",
  stay: "Skin under the brush stays, and what was drawn ends at it."
};
function BrushOptions() {
  const [map, shape] = [paintedMap.value, retouched.value];
  const offered = shape === null ? state.value?.paint.actions : state.value?.paint.retouching;
  if (!map && shape === null) return /* @__PURE__ */ a4(NoMaps, {});
  return /* @__PURE__ */ a4("div", { class: "brush", children: [
    /* @__PURE__ */ a4(Painted, {}),
    /* @__PURE__ */ a4("p", { class: "quiet", children: shape === null && map ? meaning(map) : TOUCHES[action.value] ?? "" }),
    /* @__PURE__ */ a4("fieldset", { class: "actions-of-brush", children: [
      /* @__PURE__ */ a4("legend", { class: "visually-hidden", children: "What the brush does" }),
      (offered ?? []).map((one) => /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          "aria-pressed": action.value === one,
          onClick: () => {
            brushAction.value = one;
          },
          children: plainName(one)
        },
        one
      ))
    ] }),
    /* @__PURE__ */ a4(Slider, { label: "Strength", value: strength2, title: "What the middle of the brush does" }),
    /* @__PURE__ */ a4(Slider, { label: "Soft edge", value: softness, title: "The share of the radius over which it fades" }),
    action.value === "fill" && map && /* @__PURE__ */ a4(FillValue, { map }),
    /* @__PURE__ */ a4("label", { class: "check", title: "Paint the other side of the body too", children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": mirror.value,
          checked: mirror.value,
          disabled: !state.value?.paint.mirrors,
          onChange: (event) => {
            mirror.value = event.currentTarget.checked;
          }
        }
      ),
      /* @__PURE__ */ a4("span", { children: "Both sides" })
    ] }),
    shape === null && map && /* @__PURE__ */ a4(WholeMap, { map })
  ] });
}
function Painted() {
  const [map, shape] = [paintedMap.value, retouched.value];
  const [maps, shapes] = [view.value?.maps ?? [], state.value?.edits.shapes ?? []];
  return /* @__PURE__ */ a4("label", { class: "chooser", children: [
    /* @__PURE__ */ a4("span", { children: "Paint" }),
    /* @__PURE__ */ a4(
      "select",
      {
        value: shape === null ? `map ${map?.name}` : `shape ${shape}`,
        onChange: ({ currentTarget: { value } }) => {
          const name = value.slice(value.indexOf(" ") + 1);
          shapeName.value = value.startsWith("shape ") ? name : "";
          if (value.startsWith("map ")) mapName.value = name;
          fillValue.value = null;
        },
        children: [
          maps.length > 0 && /* @__PURE__ */ a4("optgroup", { label: "Maps", children: maps.map(({ name, painted }) => /* @__PURE__ */ a4("option", { value: `map ${name}`, children: [
            plainName(name),
            painted ? " (painted)" : ""
          ] }, name)) }),
          shapes.length > 0 && /* @__PURE__ */ a4("optgroup", { label: "Drawn shapes", children: shapes.map((name) => /* @__PURE__ */ a4("option", { value: `shape ${name}`, children: name }, name)) })
        ]
      }
    )
  ] });
}
function WholeMap({ map }) {
  const value = fillValue.value ?? map.high;
  return /* @__PURE__ */ a4("div", { class: "button-row", children: [
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        onClick: () => ask({ do: "fill-map", map: map.name, value, view: view.value?.view ?? 0 }),
        children: [
          "Fill all with ",
          shown(value)
        ]
      }
    ),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        disabled: !map.painted,
        onClick: () => ask({ do: "reset-map", map: map.name }),
        children: "Clear"
      }
    )
  ] });
}
function meaning({ label, low, high, unit, default: usual }) {
  const range2 = `${shown(low)} to ${shown(high)}${unit && ` ${unit}`}`;
  return `${label}. ${range2}; ${usual === null ? "found by the skin" : shown(usual)} where nothing is painted.`;
}
function NoMaps() {
  const readers = state.value?.paint.skins ?? [];
  return /* @__PURE__ */ a4("div", { class: "brush", children: [
    /* @__PURE__ */ a4("p", { class: "quiet", children: "This skin reads no painted maps. These do:" }),
    /* @__PURE__ */ a4("div", { class: "button-row", children: readers.map((skin2) => /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        onClick: () => ask({ do: "choose-skin", skin: skin2, view: view.value?.view ?? 0 }),
        children: plainName(skin2)
      },
      skin2
    )) })
  ] });
}
function Slider({ label, value, title }) {
  return /* @__PURE__ */ a4("label", { class: "chooser", title, children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: 0,
        max: 1,
        step: 0.01,
        value: value.value,
        onInput: (event) => {
          value.value = Number(event.currentTarget.value);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
      Math.round(100 * value.value),
      " %"
    ] })
  ] });
}
function FillValue({ map }) {
  const value = fillValue.value ?? map.high;
  return /* @__PURE__ */ a4("label", { class: "chooser", title: "What the brush fills with", children: [
    /* @__PURE__ */ a4("span", { children: "Value" }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: map.low,
        max: map.high,
        step: (map.high - map.low) / 100,
        value,
        onInput: (event) => {
          fillValue.value = Number(event.currentTarget.value);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
      shown(value),
      " ",
      map.unit
    ] })
  ] });
}

// src/tools/paint.ts
var SPACING = 0.4;
var HALVINGS = 3;
var MOST_PLACES = 64;
var PaintMap = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.mark = new HandMark(stage2.scene, look2);
    x2(() => {
      if (this.chosen.value) this.showMap();
    });
  }
  stage;
  id = "paint";
  name = "Paint maps";
  key = "U";
  icon = "brush";
  hint = "Press on the skin and paint where its flesh is loose, firm or fat; or touch up what was drawn.";
  mark;
  chosen = y3(false);
  before = "";
  // the measure that was shown
  stroke = null;
  pointer = null;
  /** While it is chosen the skin shows the map as colours, and then what it showed before. */
  enter() {
    this.before = state.peek()?.shown.measure?.name ?? "";
    this.chosen.value = true;
  }
  showMap() {
    const shown3 = state.value?.shown;
    if (retouched.value !== null) {
      if (shown3?.measure?.name.startsWith("map:")) ask({ do: "show", measure: this.before });
      return;
    }
    const name = `map:${paintedMap.value?.name ?? ""}`;
    const offered = shown3?.measures.some((measure2) => measure2.name === name) ?? false;
    if (offered && shown3?.measure?.name !== name) ask({ do: "show", measure: name });
  }
  options = BrushOptions;
  wear(look2) {
    this.mark.wear(look2);
  }
  down(event) {
    const { skin: skin2 } = this.stage;
    if (this.stroke) return true;
    const pixel = pixelOf(this.stage, event);
    const hit = this.hit(pixel);
    if (!skin2 || !hit || !action.value) return false;
    this.stroke = {
      pointer: event.pointerId,
      mesh: skin2.number,
      at: hit.at,
      pixel,
      waiting: [hit.place],
      commands: /* @__PURE__ */ new Set()
    };
    return true;
  }
  move(event) {
    if (event.pointerId !== this.stroke?.pointer) return;
    for (const sample of movesOf(event)) this.goTo(pixelOf(this.stage, sample));
  }
  up(event, cancelled) {
    if (event.pointerId === this.stroke?.pointer) this.end(!cancelled);
  }
  hover(event) {
    this.pointer = event && pixelOf(this.stage, event);
  }
  update() {
    if (this.stroke && this.stroke.mesh !== this.stage.skin?.number) this.end(false);
    this.tell();
    this.updateMark();
  }
  refused({ seq }) {
    if (this.stroke?.commands.has(seq)) this.end(false);
  }
  lost() {
    this.stroke = null;
  }
  leave() {
    this.chosen.value = false;
    if (state.peek()?.shown.measure?.name.startsWith("map:")) ask({ do: "show", measure: this.before });
    this.end(true);
    this.pointer = null;
    this.mark.hide();
    this.stage.canvas.classList.remove("on-skin", "painting");
  }
  hit(pixel) {
    const { skin: skin2 } = this.stage;
    const place = placeAt(this.stage, pixel);
    if (!skin2 || !place) return null;
    const [at, normal] = [new Vector39(), new Vector39()];
    skin2.surface(place, at, normal);
    const vertices = place.points.map((point) => skin2.data.vertexOfPoint[point]);
    return { place: { vertices, shares: place.shares.map((share) => Math.min(1, Math.max(0, share))) }, at };
  }
  /** On to a pixel; where that is far from the last place, those between are gone over too. */
  goTo(pixel) {
    const stroke = this.stroke;
    const hit = this.hit(pixel);
    const gone = hit ? hit.at.distanceTo(stroke.at) / (SPACING * radius.value) : 0;
    const steps = Math.min(2 ** HALVINGS, Math.ceil(gone));
    for (let step2 = 1; step2 < steps; step2++) {
      const between2 = this.hit(stroke.pixel.clone().lerp(pixel, step2 / steps));
      if (between2) stroke.waiting.push(between2.place);
    }
    stroke.pixel = pixel;
    if (!hit) return;
    stroke.at = hit.at;
    stroke.waiting.push(hit.place);
  }
  tell() {
    const [stroke, map, shape] = [this.stroke, paintedMap.value, retouched.value];
    if (!stroke || stroke.waiting.length === 0) return;
    const brush2 = {
      action: action.value,
      places: stroke.waiting.splice(0, MOST_PLACES),
      radius: radius.value,
      strength: strength2.value,
      softness: softness.value,
      mirror: mirror.value
    };
    let seq = null;
    if (shape !== null) seq = ask({ do: "retouch", shape, ...brush2 });
    else if (map) {
      const value = fillValue.value ?? map.high;
      seq = ask({ do: "paint", map: map.name, ...brush2, value, view: view.value?.view ?? 0 });
    }
    if (seq !== null) stroke.commands.add(seq);
    if (stroke.waiting.length > 0) this.stage.redraw();
  }
  end(keep) {
    if (!this.stroke) return;
    while (keep && this.stroke.waiting.length > 0) this.tell();
    this.stroke = null;
    ask({ do: "paint-end", keep });
    this.stage.redraw();
  }
  updateMark() {
    const { skin: skin2, canvas } = this.stage;
    const pixel = this.stroke?.pixel ?? this.pointer;
    const place = pixel && skin2 ? placeAt(this.stage, pixel) : null;
    canvas.classList.toggle("on-skin", place !== null);
    canvas.classList.toggle("painting", this.stroke !== null);
    if (!place || !skin2) {
      this.mark.hide();
      return;
    }
    const [position, normal] = [new Vector39(), new Vector39()];
    skin2.surface(place, position, normal);
    this.mark.show(position, normal, radius.value, null);
  }
};

// src/tools/pose.tsx
import { Vector3 as Vector310 } from "./three.js";

// src/pace.ts
var waiting2 = /* @__PURE__ */ new Map();
function soon(name, act) {
  if (waiting2.size === 0) requestAnimationFrame(flush);
  if (waiting2.has(name)) waiting2.set(name, act);
  else {
    waiting2.set(name, null);
    act();
  }
}
function notSoon(name) {
  if (waiting2.get(name)) waiting2.set(name, null);
}
function flush() {
  const acts = [...waiting2];
  waiting2.clear();
  for (const [name, act] of acts) if (act) soon(name, act);
}

// src/ui/pose_options.tsx
var SHORTEST = 0.4;
var LONGEST = 2.5;
var LARGEST_SLID = 3;
function PoseOptions({ stage: stage2, chosen: chosen2 }) {
  const skeleton = state.value?.skeleton;
  const joint = chosen2.value;
  return /* @__PURE__ */ a4($, { children: [
    skeleton && joint !== null && joint < skeleton.names.length && /* @__PURE__ */ a4(ChosenJoint, { stage: stage2, joint, name: skeleton.names[joint] }),
    /* @__PURE__ */ a4(PoseSwitches, {})
  ] });
}
function PoseSwitches({ another = true }) {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(Switch, { label: "Elbows and knees bend one way", value: ranged, title: "Where the rig tells their axis" }),
    /* @__PURE__ */ a4(Switch, { label: "Key at the playhead", value: keyed, title: "Else the pose is there all the time" }),
    another && /* @__PURE__ */ a4(Switch, { label: "Start another pose", value: fresh, title: "Else posing goes on with the last one" }),
    pins.value.size > 0 && /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button outlined",
        onClick: () => {
          pins.value = /* @__PURE__ */ new Set();
        },
        children: [
          "Let go of ",
          pins.value.size === 1 ? "the pin" : `all ${pins.value.size} pins`
        ]
      }
    )
  ] });
}
function Switch({ label, value, title }) {
  return /* @__PURE__ */ a4("label", { class: "tool-switch", title, children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "checkbox",
        class: "switch",
        role: "switch",
        "aria-checked": value.value,
        checked: value.value,
        onChange: (event) => {
          value.value = event.currentTarget.checked;
        }
      }
    )
  ] });
}
function ChosenJoint({ stage: stage2, joint, name }) {
  const pinned = pins.value.has(joint);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: "joint-row", children: [
      /* @__PURE__ */ a4("b", { children: plainName(name) }),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          "aria-pressed": pinned,
          title: "Hold it where it is while others are posed (P)",
          onClick: () => togglePin(joint),
          children: pinned ? "Unpin" : "Pin"
        }
      ),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          title: "Take back what the last pose does to this joint",
          onClick: () => ask({ do: "reset-joint", joint, ...posingOptions(motionTime.value) }),
          children: "Reset"
        }
      )
    ] }),
    /* @__PURE__ */ a4(BoneLength, { stage: stage2, joint }),
    /* @__PURE__ */ a4(JointSize, { stage: stage2, joint }),
    /* @__PURE__ */ a4(Limit, { joint }),
    /* @__PURE__ */ a4(Reach, { joint })
  ] });
}
function Limit({ joint }) {
  const limit = limits.value.get(joint) ?? Math.PI;
  const degrees = Math.round(180 * limit / Math.PI);
  return /* @__PURE__ */ a4("label", { class: "chooser", title: "How far from rest it turns at most while it is posed", children: [
    /* @__PURE__ */ a4("span", { children: "Turns" }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: 0,
        max: 180,
        step: 5,
        value: degrees,
        "aria-label": "Turns at most",
        "aria-valuetext": degrees < 180 ? `${degrees} degrees` : "freely",
        onInput: ({ currentTarget }) => setLimit(joint, Math.PI * Number(currentTarget.value) / 180)
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: degrees < 180 ? `${degrees}°` : "freely" })
  ] });
}
function Reach({ joint }) {
  if (!view.value?.maps.some(({ name }) => name === "reach_start")) return null;
  const reach2 = reaches.value.get(joint) ?? 0.5;
  const tell2 = (value, done) => {
    reaches.value = new Map(reaches.value).set(joint, value);
    ask({ do: "set-reach", joint, reach: value, done });
  };
  return /* @__PURE__ */ a4(
    "label",
    {
      class: "chooser",
      title: "How far along its bones the skin turns with it; the map can be painted further",
      children: [
        /* @__PURE__ */ a4("span", { children: "Reach" }),
        /* @__PURE__ */ a4(
          "input",
          {
            type: "range",
            min: 0,
            max: 1,
            step: 0.01,
            value: reach2,
            "aria-label": "Reach of the joint",
            onInput: ({ currentTarget }) => {
              const value = Number(currentTarget.value);
              soon("reach", () => tell2(value, false));
            },
            onChange: ({ currentTarget }) => {
              notSoon("reach");
              tell2(Number(currentTarget.value), true);
            }
          }
        ),
        /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
          Math.round(100 * reach2),
          " %"
        ] })
      ]
    }
  );
}
function stretchOf(stage2, joint) {
  const skeleton = stage2.joints?.skeleton;
  const here = skeleton && stage2.joint(joint);
  if (!here) return null;
  let [now, rest] = [0, 0];
  skeleton.parents.forEach((parent, child) => {
    if (parent !== joint) return;
    now += stage2.joint(child).distanceTo(here);
    rest += skeleton.lengths[child];
  });
  return rest > 0 ? now / rest : null;
}
function JointSize({ stage: stage2, joint }) {
  shownFrame.value;
  if (!stage2.joints?.frame) return null;
  const size3 = jointSize(stage2, joint);
  const tell2 = (value, done) => ask({ do: "scale-joint", joint, size: value, ...posingOptions(motionTime.value), done });
  return /* @__PURE__ */ a4("label", { class: "chooser", title: "How many times as large as at rest it is, with all that hangs on it", children: [
    /* @__PURE__ */ a4("span", { children: "Size" }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: SMALLEST2,
        max: LARGEST_SLID,
        step: 0.01,
        value: size3,
        "aria-label": "Size of the joint",
        "aria-valuetext": `${size3.toFixed(2)} times its size at rest`,
        onInput: ({ currentTarget }) => {
          const value = Number(currentTarget.value);
          soon("size", () => tell2(value, false));
        },
        onChange: ({ currentTarget }) => {
          notSoon("size");
          tell2(Number(currentTarget.value), true);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
      size3.toFixed(2),
      " ×"
    ] })
  ] });
}
function BoneLength({ stage: stage2, joint }) {
  shownFrame.value;
  const stretch2 = stretchOf(stage2, joint);
  if (stretch2 === null) return null;
  const tell2 = (value, done) => ask({ do: "stretch-bone", joint, stretch: value, ...posingOptions(motionTime.value), done });
  return /* @__PURE__ */ a4("label", { class: "chooser", title: "How many times as long as at rest its bone is", children: [
    /* @__PURE__ */ a4("span", { children: "Bone" }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: SHORTEST,
        max: LONGEST,
        step: 0.01,
        value: stretch2,
        "aria-label": "Length of the bone",
        "aria-valuetext": `${stretch2.toFixed(2)} times its length at rest`,
        onInput: ({ currentTarget }) => {
          const value = Number(currentTarget.value);
          soon("stretch", () => tell2(value, false));
        },
        onChange: ({ currentTarget }) => {
          notSoon("stretch");
          tell2(Number(currentTarget.value), true);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
      stretch2.toFixed(2),
      " ×"
    ] })
  ] });
}

// src/tools/pose.tsx
var SHORTEST_WAIT3 = 15;
var CLICK2 = 3;
var EDGE_ON = 0.35;
var chosenJoint = y3(null);
var PoseJoints = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.dots = new JointDots(stage2.scene, look2);
    this.gizmo = new Gizmo(stage2.scene, look2);
    x2(() => {
      pins.value;
      chosenJoint.value;
      stage2.redraw();
    });
    let mesh = -1;
    x2(() => {
      const now = state.value?.mesh.mesh ?? -1;
      if (now === mesh) return;
      mesh = now;
      pins.value = /* @__PURE__ */ new Set();
      limits.value = /* @__PURE__ */ new Map();
      reaches.value = /* @__PURE__ */ new Map();
      chosenJoint.value = null;
    });
  }
  stage;
  id = "pose";
  name = "Pose joints";
  key = "J";
  icon = "joint";
  hint = "Click a joint, then drag a ring to turn it, the square to scale it, or itself to move its limb. P pins it.";
  dots;
  gizmo;
  hovered = null;
  drag = null;
  within = false;
  wear(look2) {
    this.dots.wear(look2);
    this.gizmo.wear(look2);
  }
  enter() {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }
  leave() {
    this.within = false;
    this.lost();
    this.hovered = null;
    this.dots.hide();
    this.gizmo.hide();
    this.stage.canvas.classList.remove("on-joint", "holding");
    this.stage.canvas.title = "";
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }
  lost() {
    this.drag = null;
  }
  hear(key) {
    const joint = chosenJoint.value ?? this.hovered;
    if (key === "P" && joint !== null) togglePin(joint);
    else if (key === "Escape" && chosenJoint.value !== null) chosenJoint.value = null;
    else return false;
    return true;
  }
  down(event) {
    if (this.drag) return false;
    const pixel = pixelOf(this.stage, event);
    const { camera } = this.stage.viewer;
    const [hit, under, onSize] = this.under(pixel);
    const joint = under ?? ((hit || onSize) && chosenJoint.value);
    if (joint === null || joint === false) return false;
    const place = this.stage.joint(joint);
    const forward = camera.getWorldDirection(new Vector310());
    this.drag = {
      pointer: event.pointerId,
      joint,
      from: pixel,
      pixel: pixel.clone(),
      moved: false,
      sent: null,
      turn: null,
      scale: null,
      depth: place.clone().sub(camera.position).dot(forward)
    };
    if (onSize) {
      const size3 = jointSize(this.stage, joint);
      this.drag.scale = { time: this.time(), from: size3, size: size3 };
    } else if (under === null && hit) {
      const spoke = hit.at.clone().sub(this.gizmo.center);
      this.drag.turn = { ...hit, spoke, time: this.time(), angle: 0, last: 0 };
    }
    return true;
  }
  move(event) {
    const drag = this.drag;
    if (drag?.pointer !== event.pointerId) return;
    drag.pixel = pixelOf(this.stage, event);
    drag.moved ||= drag.pixel.distanceTo(drag.from) > CLICK2;
    if (drag.turn && drag.moved) this.follow(drag, drag.turn);
    if (drag.scale && drag.moved) this.grow(drag, drag.scale);
  }
  up(event) {
    const drag = this.drag;
    if (drag?.pointer !== event.pointerId) return;
    this.drag = null;
    if (drag.moved) {
      this.tell(drag, true);
      fresh.value = false;
      if (!drag.turn) chosenJoint.value = drag.joint;
    } else if (!drag.turn && !drag.scale)
      chosenJoint.value = chosenJoint.value === drag.joint ? null : drag.joint;
  }
  hover(event) {
    const { canvas } = this.stage;
    const [hit, under, onSize] = event ? this.under(pixelOf(this.stage, event)) : [null, null, false];
    this.hovered = under;
    this.gizmo.light(onSize ? "size" : under === null && hit ? hit.ring : null);
    canvas.classList.toggle("on-joint", this.hovered !== null || hit !== null || onSize);
    canvas.title = this.hovered === null ? "" : this.stage.joints?.skeleton.names[this.hovered] ?? "";
  }
  /** Before every picture. */
  update() {
    if (!this.within) return;
    const { stage: stage2, drag } = this;
    if (drag?.moved) this.tell(drag, false);
    const places = jointPlaces(stage2);
    if (places.length === 0) {
      this.dots.hide();
      this.gizmo.hide();
      return;
    }
    const chosen2 = chosenJoint.value;
    const kinds = Uint8Array.from(places, (_4, joint) => {
      const lit = joint === this.hovered || joint === chosen2 || joint === drag?.joint;
      const pinned = pins.value.has(joint);
      return (lit || pinned ? LIT : 0) + (pinned ? PINNED : 0) + (lit ? LARGE : 0);
    });
    this.dots.show(places, kinds, stage2.boxOf(stage2.pane));
    stage2.canvas.classList.toggle("holding", drag !== null);
    if (chosen2 === null || drag && !drag.turn && !drag.scale && drag.moved) this.gizmo.hide();
    else
      this.gizmo.show(
        places[chosen2],
        jointAxes(stage2, chosen2),
        stage2.viewer.camera,
        stage2.boxOf(stage2.pane),
        drag?.turn && drag.moved ? drag.turn : null,
        drag?.scale && drag.moved ? drag.scale.size / drag.scale.from : null
      );
  }
  options() {
    return /* @__PURE__ */ a4(PoseOptions, { stage: this.stage, chosen: chosenJoint });
  }
  /** The ring and the joint that a pixel means, and whether it means the handle of the size instead.
  
     Where there is a ring only a joint is meant that is hit exactly. */
  under(pixel) {
    const { camera } = this.stage.viewer;
    const window2 = this.stage.boxOf(this.stage.pane);
    const chosen2 = chosenJoint.value !== null;
    if (chosen2 && this.gizmo.isOnSize(pixel, camera, window2)) return [null, null, true];
    const hit = chosen2 ? this.gizmo.pick(pixel, camera, window2) : null;
    return [hit, jointUnder(this.stage, pixel, hit ? ON_IT : void 0), false];
  }
  time() {
    return this.stage.skin?.frame?.motionTime ?? 0;
  }
  /** How far the pointer has gone on the plane through the joint that faces the viewer, who may have gone along. */
  wayOf(drag) {
    const forward = this.stage.viewer.camera.getWorldDirection(new Vector310());
    const [from, to] = [drag.from, drag.pixel].map((pixel) => {
      const direction = rayThrough(this.stage, pixel);
      return direction.multiplyScalar(drag.depth / direction.dot(forward));
    });
    return to.sub(from);
  }
  /** Turn by how far the pointer has gone round the ring, or along it where that is seen from its edge. */
  follow(drag, turn) {
    const { camera } = this.stage.viewer;
    const center = this.gizmo.center;
    const towards = camera.position.clone().sub(center).normalize();
    if (Math.abs(towards.dot(turn.axis)) > EDGE_ON) {
      const direction = rayThrough(this.stage, drag.pixel);
      const distance = center.clone().sub(camera.position).dot(turn.axis) / direction.dot(turn.axis);
      const out = camera.position.clone().addScaledVector(direction, distance).sub(center);
      const side = new Vector310().crossVectors(turn.axis, turn.spoke);
      const now = Math.atan2(out.dot(side), out.dot(turn.spoke));
      let step2 = now - turn.last;
      if (step2 > Math.PI) step2 -= 2 * Math.PI;
      if (step2 < -Math.PI) step2 += 2 * Math.PI;
      turn.last = now;
      turn.angle += step2;
      return;
    }
    const seen = (place) => pixelOfPlace(place, camera, this.stage.boxOf(this.stage.pane));
    const at = center.clone().add(turn.spoke);
    const little = new Vector310().crossVectors(turn.axis, turn.spoke).multiplyScalar(0.01);
    const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100);
    turn.angle = drag.pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
  }
  /** As much larger as the pointer is farther from the joint than where it took the handle. */
  grow(drag, scale) {
    const window2 = this.stage.boxOf(this.stage.pane);
    const center = pixelOfPlace(this.gizmo.center, this.stage.viewer.camera, window2);
    const out = drag.from.clone().sub(center);
    const along = drag.pixel.clone().sub(center).dot(out) / Math.max(out.lengthSq(), 1e-6);
    scale.size = Math.min(LARGEST2, Math.max(SMALLEST2, scale.from * along));
  }
  tell(drag, done) {
    const now = performance.now();
    if (!done && drag.sent && now - drag.sent.time < SHORTEST_WAIT3) {
      this.stage.redraw();
      return;
    }
    const { joint, turn, scale } = drag;
    const about2 = turn ? { do: "turn-joint", joint, axis: turn.axis.toArray(), angle: turn.angle } : scale ? { do: "scale-joint", joint, size: scale.size } : { do: "move-joint", joint, by: this.wayOf(drag).toArray() };
    const time = turn?.time ?? scale?.time ?? this.time();
    const what = JSON.stringify([about2, time]);
    if (!done && drag.sent?.what === what) return;
    if (ask({ ...about2, ...posingOptions(time), done }) !== null) drag.sent = { time: now, what };
  }
};

// src/ui/number_field.tsx
function NumberField({ value, set, label, id, step: step2, low, high }) {
  const typed = useSignal(null);
  return /* @__PURE__ */ a4(
    "input",
    {
      id,
      type: "number",
      "aria-label": label,
      min: low,
      max: high,
      step: step2,
      value: typed.value ?? value,
      onInput: ({ currentTarget }) => {
        typed.value = currentTarget.value;
      },
      onChange: ({ currentTarget }) => {
        const number = currentTarget.valueAsNumber;
        if (Number.isFinite(number)) set(number);
        else currentTarget.value = value;
        typed.value = null;
      },
      onBlur: () => {
        typed.value = null;
      }
    }
  );
}

// src/ui/layers/amount.tsx
function AmountField({
  name,
  label,
  value,
  change: change4,
  bare = false,
  low = 0,
  high = 1,
  unit = "",
  times = 1
}) {
  const shown3 = times * (drafts.value[name] ?? value);
  const slide = (amount) => {
    drafts.value = { ...drafts.value, [name]: amount / times };
    soon(name, () => change4(amount / times, false));
  };
  const set = (amount) => {
    notSoon(name);
    drafts.value = { ...drafts.value, [name]: amount / times };
    change4(amount / times, true);
  };
  const slider = /* @__PURE__ */ a4(
    "input",
    {
      type: "range",
      class: "amount-slider",
      "aria-label": bare ? `${label} of ${name}` : `${label}, slider`,
      "aria-valuetext": shown3.toFixed(2),
      title: `${label} ${shown3.toFixed(2)}`,
      min: Math.min(low, shown3),
      max: Math.max(high, shown3),
      step: 0.01 * (high - low),
      value: shown3,
      onInput: (event) => slide(Number(event.currentTarget.value)),
      onChange: (event) => set(Number(event.currentTarget.value))
    }
  );
  if (bare) return /* @__PURE__ */ a4("span", { "data-setting": name, children: slider });
  return /* @__PURE__ */ a4("div", { class: "line", "data-setting": name, children: [
    /* @__PURE__ */ a4("span", { class: "quiet", children: [
      label,
      unit && /* @__PURE__ */ a4("span", { class: "unit", children: [
        " ",
        unit
      ] })
    ] }),
    slider,
    /* @__PURE__ */ a4(NumberField, { label, step: "any", value: String(Number(shown3.toFixed(3))), set })
  ] });
}

// src/tools/names.ts
function freeName(wanted3) {
  const { shapes = [], poses = [], strokes: strokes2 = [], layers = [] } = state.value?.edits ?? {};
  const taken = /* @__PURE__ */ new Set([...shapes, ...poses, ...strokes2, ...layers.map(({ name: name2 }) => name2)]);
  let name = wanted3;
  for (let number = 2; taken.has(name); number++) name = `${wanted3} ${number}`;
  return name;
}

// src/tools/radial.tsx
var DEGREE = Math.PI / 180;
var WIDEST_FALLOFF = 3;
var figures = y3({ swell: 0.3, lean: 0, low: 0, high: 1, falloff: 0.3, profile: "bell" });
var current = y3(null);
var RadialTool = class {
  constructor(stage2) {
    this.stage = stage2;
  }
  stage;
  id = "radial";
  name = "Swell a limb";
  key = "W";
  icon = "radial";
  hint = "Click a limb: the skin round its bone swells, as a shape with a layer.";
  down(event) {
    const place = placeAt(this.stage, pixelOf(this.stage, event));
    const { skin: skin2, joints: joints2 } = this.stage;
    if (!place || !skin2 || !joints2) return false;
    const nearest = place.points[place.shares.indexOf(Math.max(...place.shares))];
    const joint = joints2.skeleton.names[skin2.data.jointOfVertex[skin2.data.vertexOfPoint[nearest]]];
    current.value = { name: freeName(joint), joint };
    tell(true);
    return true;
  }
  move() {
  }
  up() {
  }
  hover() {
  }
  lost() {
    current.value = null;
  }
  options() {
    return /* @__PURE__ */ a4(Options, {});
  }
};
function tell(done) {
  if (current.value) ask({ do: "radial", ...current.value, ...figures.value, done });
}
function change(what, done) {
  figures.value = { ...figures.value, ...what };
  if (current.value && state.value?.edits.shapes.includes(current.value.name)) tell(done);
}
function Options() {
  const { swell, lean, low, high, falloff, profile: profile2 } = figures.value;
  const shapes = state.value?.edits.shapes ?? [];
  const shape = current.value && shapes.includes(current.value.name) ? current.value.name : null;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { class: "quiet", children: shape ? `Changes ${shape}.` : "No limb is chosen yet. From and To are places along its bone." }),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "radial swell",
        label: "Size",
        unit: "%",
        times: 100,
        low: -80,
        high: 120,
        value: swell,
        change: (value, done) => change({ swell: Math.max(-1, value) }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "radial lean",
        label: "Lean",
        unit: "°",
        low: -60,
        high: 60,
        value: Math.round(lean / DEGREE),
        change: (value, done) => change({ lean: value * DEGREE }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "radial low",
        label: "From",
        unit: "%",
        times: 100,
        high: 100,
        value: low,
        change: (value, done) => change({ low: Math.min(Math.max(0, value), high - 0.02) }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "radial high",
        label: "To",
        unit: "%",
        times: 100,
        high: 100,
        value: high,
        change: (value, done) => change({ high: Math.max(Math.min(1, value), low + 0.02) }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "radial falloff",
        label: "Soft edge",
        unit: "%",
        times: 100,
        high: 100,
        value: falloff,
        change: (value, done) => change({ falloff: Math.min(WIDEST_FALLOFF, Math.max(0, value)) }, done)
      }
    ),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: "Profile" }),
      /* @__PURE__ */ a4("select", { value: profile2, onChange: (event) => change({ profile: event.currentTarget.value }, true), children: (state.value?.edits.profiles ?? []).map((name) => /* @__PURE__ */ a4("option", { value: name, children: plainName(name) }, name)) })
    ] })
  ] });
}

// src/scene/pose_lines.ts
import { BufferAttribute as BufferAttribute5, BufferGeometry as BufferGeometry5, DynamicDrawUsage as DynamicDrawUsage3, Line as Line3, LineBasicMaterial as LineBasicMaterial4 } from "./three.js";
var ROOM = 2048;
var PoseLine = class {
  constructor(scene, look2, quiet) {
    this.quiet = quiet;
    this.material = new LineBasicMaterial4({ transparent: true, depthTest: false, opacity: quiet ? 0.75 : 1 });
    this.line = new Line3(new BufferGeometry5().setAttribute("position", this.places), this.material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 10;
    this.line.visible = false;
    scene.add(this.line);
    this.wear(look2);
  }
  quiet;
  line;
  material;
  places = new BufferAttribute5(new Float32Array(3 * ROOM), 3).setUsage(DynamicDrawUsage3);
  wear(look2) {
    this.material.color.set(this.quiet ? LOOKS[look2].axes[2] : LOOKS[look2].ring);
  }
  hide() {
    this.line.visible = false;
  }
  show(along) {
    const count = Math.min(ROOM, along.length);
    for (let i4 = 0; i4 < count; i4++) this.places.setXYZ(i4, along[i4].x, along[i4].y, along[i4].z);
    this.places.needsUpdate = true;
    this.line.geometry.setDrawRange(0, count);
    this.line.visible = count > 1;
  }
};

// src/tools/stroke_pose.tsx
import { Vector3 as Vector312 } from "./three.js";

// src/tools/drawing_plane.ts
import { Vector3 as Vector311 } from "./three.js";
var NEAR5 = 12;
var RADIUS2 = 0.45;
var SHALLOWEST = 0.1;
var drawingPlane = y3(null);
function facePlane(stage2) {
  const normal = stage2.viewer.camera.getWorldDirection(new Vector311()).negate();
  if (drawingPlane.value) drawingPlane.value = { ...drawingPlane.value, normal };
}
function togglePlane(stage2, point) {
  drawingPlane.value = drawingPlane.value ? null : { point, normal: new Vector311(0, 0, 1) };
  facePlane(stage2);
}
var DrawingPlane = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.disc = new Disc(stage2.scene, look2);
    this.gizmo = new Gizmo(stage2.scene, look2);
    this.hide();
    drawingPlane.subscribe(() => stage2.redraw());
  }
  stage;
  disc;
  gizmo;
  drag = null;
  wear(look2) {
    this.disc.wear(look2);
    this.gizmo.wear(look2);
  }
  hide() {
    this.disc.hide();
    this.gizmo.hide();
    this.drag = null;
  }
  /** Where the view through a pixel meets it; null where there is none, or the ray only grazes it. */
  under(pixel, through = drawingPlane.value?.point) {
    const plane = drawingPlane.value;
    if (!plane || !through) return null;
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const across2 = direction.dot(plane.normal);
    const along = through.clone().sub(camera.position).dot(plane.normal) / across2;
    if (Math.abs(across2) < SHALLOWEST || along <= 0) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }
  /** A pointer goes down: whether it is on the plane's middle or on a ring. */
  down(event) {
    const plane = drawingPlane.value;
    if (!plane || this.drag) return false;
    const { stage: stage2 } = this;
    const [pixel, window2] = [pixelOf(stage2, event), stage2.boxOf(stage2.pane)];
    const middle = pixelOfPlace(plane.point, stage2.viewer.camera, window2).distanceTo(pixel) < NEAR5;
    const hit = middle ? null : this.gizmo.pick(pixel, stage2.viewer.camera, window2);
    if (!hit && !middle) return false;
    const ring = hit && { axis: hit.axis, spoke: hit.at.clone().sub(this.gizmo.center) };
    this.drag = { pointer: event.pointerId, from: pixel, ...plane, ring };
    return true;
  }
  /** Whether it has taken the pointer. */
  move(event) {
    const { drag, stage: stage2 } = this;
    if (drag?.pointer !== event.pointerId) return false;
    const pixel = pixelOf(stage2, event);
    drawingPlane.value = drag.ring ? { point: drag.point, normal: this.turned(drag, drag.ring, pixel) } : { point: this.snapped(pixel) ?? this.moved(drag, pixel), normal: drag.normal };
    return true;
  }
  up(event, cancelled) {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return false;
    this.drag = null;
    if (cancelled) drawingPlane.value = { point: drag.point, normal: drag.normal };
    return true;
  }
  /** A pointer that nobody has taken: whether it is over what can be dragged. */
  hover(pixel) {
    const plane = drawingPlane.value;
    const { camera } = this.stage.viewer;
    const window2 = this.stage.boxOf(this.stage.pane);
    const hit = plane && pixel && this.gizmo.pick(pixel, camera, window2);
    this.gizmo.light(hit ? hit.ring : null);
    return Boolean(
      hit || plane && pixel && pixelOfPlace(plane.point, camera, window2).distanceTo(pixel) < NEAR5
    );
  }
  /** Before every picture. */
  update() {
    const plane = drawingPlane.value;
    if (!plane) {
      this.hide();
      return;
    }
    const { stage: stage2 } = this;
    const size3 = state.value?.mesh.size || 1.8;
    this.disc.show(plane.point, plane.normal, RADIUS2 * size3, this.drag !== null);
    const aside = new Vector311(0, 1, 0).cross(plane.normal);
    if (aside.length() < 1e-3) aside.set(1, 0, 0);
    aside.normalize();
    const axes = [aside, plane.normal.clone().cross(aside), plane.normal];
    this.gizmo.show(plane.point, axes, stage2.viewer.camera, stage2.boxOf(stage2.pane), null);
  }
  turned(drag, ring, pixel) {
    const seen = (place) => pixelOfPlace(place, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane));
    const at = drag.point.clone().add(ring.spoke);
    const little = new Vector311().crossVectors(ring.axis, ring.spoke).multiplyScalar(0.01);
    const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100);
    const angle = pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
    return drag.normal.clone().applyAxisAngle(ring.axis, angle).normalize();
  }
  /** Along with the pointer, across the view. */
  moved(drag, pixel) {
    const { camera } = this.stage.viewer;
    const forward = camera.getWorldDirection(new Vector311());
    const depth = drag.point.clone().sub(camera.position).dot(forward);
    const [from, to] = [drag.from, pixel].map((one) => {
      const direction = rayThrough(this.stage, one);
      return direction.multiplyScalar(depth / direction.dot(forward));
    });
    return drag.point.clone().add(to).sub(from);
  }
  /** The joint that is seen under the pointer, if there is one. */
  snapped(pixel) {
    const window2 = this.stage.boxOf(this.stage.pane);
    const found = jointPlaces(this.stage).find(
      (place) => pixelOfPlace(place, this.stage.viewer.camera, window2).distanceTo(pixel) < NEAR5
    );
    return found ? found.clone() : null;
  }
};

// src/ui/stroke_options.tsx
function StrokeOptions({ face, toggle }) {
  const isFirst = phase.value === "baseline";
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { class: "quiet", children: isFirst ? "First the line over the bones; lit joints are picked." : "Now where they are to go: draw as often as you like, or drag a knot. A click takes a joint in or out." }),
    /* @__PURE__ */ a4("label", { class: "chooser", title: "How far from the line joints are picked ([ and ])", children: [
      /* @__PURE__ */ a4("span", { children: "Brush" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "range",
          min: 0.01,
          max: 0.4,
          step: 5e-3,
          value: brush.value,
          "aria-valuetext": `${(100 * metres()).toFixed(1)} centimetres`,
          onInput: (event) => setBrush(Number(event.currentTarget.value))
        }
      ),
      /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
        (100 * metres()).toFixed(1),
        " cm"
      ] })
    ] }),
    !isFirst && /* @__PURE__ */ a4("button", { type: "button", class: "button outlined", title: "Escape", onClick: forget, children: "Another line over the bones" }),
    /* @__PURE__ */ a4(
      "label",
      {
        class: "chooser",
        title: "How many times as long, or as short, bones may become to come to the line",
        children: [
          /* @__PURE__ */ a4("span", { children: "Stretch" }),
          /* @__PURE__ */ a4(
            "input",
            {
              type: "range",
              min: 1,
              max: 2.5,
              step: 0.05,
              value: stretch.value,
              "aria-valuetext": `${stretch.value.toFixed(2)} times`,
              onInput: (event) => {
                stretch.value = Number(event.currentTarget.value);
              }
            }
          ),
          /* @__PURE__ */ a4("span", { class: "quiet figure", children: stretch.value > 1 ? `${stretch.value.toFixed(2)} ×` : "none" })
        ]
      }
    ),
    /* @__PURE__ */ a4(
      Switch,
      {
        label: "Twist with the line",
        value: twisted,
        title: "Bones turn about themselves as the line does"
      }
    ),
    isPosed.value && /* @__PURE__ */ a4(
      Switch,
      {
        label: "Draw a part anew",
        value: partly,
        title: "What is drawn takes the place of that part of the second line that it lies along"
      }
    ),
    /* @__PURE__ */ a4(
      "label",
      {
        class: "check",
        title: "The second line lies on a plane that you put up: drag its middle, which snaps to joints, or its rings",
        children: [
          /* @__PURE__ */ a4(
            "input",
            {
              type: "checkbox",
              class: "switch",
              role: "switch",
              "aria-checked": drawingPlane.value !== null,
              checked: drawingPlane.value !== null,
              onChange: toggle
            }
          ),
          /* @__PURE__ */ a4("span", { children: "Draw on a plane of my own" })
        ]
      }
    ),
    drawingPlane.value && /* @__PURE__ */ a4("button", { type: "button", class: "button outlined", onClick: face, children: "Turn the plane to me" }),
    /* @__PURE__ */ a4(PoseSwitches, { another: false })
  ] });
}

// src/tools/lines.ts
function waysAlong(line) {
  let way = 0;
  const ways = line.map((at, i4) => {
    if (i4 > 0) way += at.distanceTo(line[i4 - 1]);
    return way;
  });
  return ways.map((one) => one / Math.max(way, 1e-9));
}
function between(at, values2, place) {
  const after = at.findIndex((one) => one >= place);
  if (after <= 0) return (after < 0 ? values2.at(-1) : values2[0]) ?? 0;
  const [low, high] = [at[after - 1], at[after]];
  const share = (place - low) / Math.max(high - low, 1e-9);
  return values2[after - 1] + share * (values2[after] - values2[after - 1]);
}
function smoothed(depths) {
  const filled = [];
  let last2 = depths.find((one) => !Number.isNaN(one));
  for (const one of depths) {
    if (!Number.isNaN(one)) last2 = one;
    filled.push(last2);
  }
  const half = Math.ceil(filled.length / 20);
  return filled.map((_4, i4) => {
    const near = filled.slice(Math.max(0, i4 - half), i4 + half + 1).filter((one) => one !== void 0);
    return near.length > 0 ? near.reduce((sum, one) => sum + one, 0) / near.length : void 0;
  });
}
function thinned(places) {
  const step2 = Math.max(1, Math.ceil(places.length / 300));
  return places.filter((_4, i4) => i4 % step2 === 0 || i4 === places.length - 1).map((place) => place.toArray());
}
function distanceToPiece2(place, from, to) {
  const along = to.clone().sub(from);
  const square = along.lengthSq();
  const share = square > 0 ? Math.min(1, Math.max(0, place.clone().sub(from).dot(along) / square)) : 0;
  return from.clone().addScaledVector(along, share).distanceTo(place);
}

// src/tools/stroke_pose.tsx
var SHORTEST_WAIT4 = 15;
var APART = 2.5;
var LEAST = 12;
var NEAR_LINE = 6;
var NEAR6 = 10;
var RADIUS3 = 0.06;
var STEP = 1.2;
var brush = y3(RADIUS3);
var baseline = y3(null);
var phase = O(() => baseline.value ? "offset" : "baseline");
var stretch = y3(1);
var twisted = y3(false);
var partly = y3(false);
var isPosed = O(() => Boolean(baseline.value?.pose));
var PoseByStrokes = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.dots = new JointDots(stage2.scene, look2);
    this.knots = new JointDots(stage2.scene, look2);
    this.first = new PoseLine(stage2.scene, look2, true);
    this.second = new PoseLine(stage2.scene, look2, false);
    this.circle = new HandMark(stage2.scene, look2);
    this.plane = new DrawingPlane(stage2, look2);
    x2(() => {
      baseline.value;
      brush.value;
      pins.value;
      stage2.redraw();
    });
    let mesh = -1;
    x2(() => {
      const now = state.value?.mesh.mesh ?? -1;
      if (now !== mesh) forget();
      mesh = now;
    });
  }
  stage;
  id = "stroke-pose";
  name = "Pose by strokes";
  key = "K";
  icon = "strokePose";
  hint = "Joints under a first line go over to a second one.";
  dots;
  knots;
  first;
  second;
  circle;
  plane;
  drawing = null;
  pointer = null;
  hovered = null;
  within = false;
  wear(look2) {
    for (const mark of [this.dots, this.knots, this.first, this.second, this.circle, this.plane])
      mark.wear(look2);
  }
  enter() {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }
  leave() {
    this.within = false;
    this.lost();
    this.pointer = null;
    for (const mark of [this.dots, this.knots, this.first, this.second, this.circle, this.plane]) mark.hide();
    this.stage.canvas.classList.remove("drawing", "on-joint");
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }
  lost() {
    this.drawing = null;
  }
  hear(key) {
    if (key === "[" || key === "]") setBrush(brush.value * (key === "]" ? STEP : 1 / STEP));
    else if (key === "P" && this.hovered !== null) togglePin(this.hovered);
    else if (key === "Escape" && baseline.value) forget();
    else if (key === "Delete" || key === "Backspace") return this.deleteKnot();
    else return false;
    return true;
  }
  down(event) {
    const places = jointPlaces(this.stage);
    if (this.drawing || places.length === 0) return false;
    if (this.plane.down(event)) return true;
    const pixel = pixelOf(this.stage, event);
    const onKnot = this.knotUnder(pixel);
    const knot = onKnot ?? this.lineUnder(pixel);
    const kind = knot === null ? phase.value : onKnot === null ? "line" : "knot";
    if (kind === "baseline" && this.nearestJoint(pixel, places).away > 4 * NEAR6) return false;
    const at = knot !== null ? asPlace(this.drawn().knots[knot]) : places[this.nearestJoint(pixel, places).joint].clone();
    if (state.value?.transport.playing) ask({ do: "pause" });
    this.drawing = {
      kind,
      pointer: event.pointerId,
      at,
      from: at,
      depth: this.depthOf(at),
      last: pixel,
      pixels: [pixel],
      length: 0,
      places: [],
      knot: knot ?? 0,
      sent: { time: 0, count: 0 }
    };
    this.lay(this.drawing);
    this.drawing.from = this.drawing.places.at(-1) ?? at;
    return true;
  }
  move(event) {
    if (this.plane.move(event)) return;
    const drawing = this.drawing;
    if (drawing?.pointer !== event.pointerId) return;
    for (const one of movesOf(event)) {
      const pixel = pixelOf(this.stage, one);
      this.pointer = pixel;
      const way = pixel.distanceTo(drawing.last);
      if (way < APART && !isDragged(drawing)) continue;
      drawing.length += way;
      drawing.last = pixel;
      drawing.pixels.push(pixel);
    }
    this.lay(drawing);
  }
  up(event, cancelled) {
    if (this.plane.up(event, cancelled)) return;
    const drawing = this.drawing;
    if (drawing?.pointer !== event.pointerId) return;
    this.drawing = null;
    if (isDragged(drawing) && drawing.length > 0) this.tell(drawing, true);
    else if (cancelled) return;
    else if (drawing.length < LEAST) this.pick(drawing);
    else if (drawing.kind === "offset") this.tell(drawing, true);
    else this.keep(drawing.places);
  }
  /** A click on a joint takes it in, or out where it is in; a pose that was drawn follows. */
  pick({ kind, last: last2 }) {
    const [line, joint] = [baseline.value, jointUnder(this.stage, last2)];
    if (kind === "baseline" || !line || joint === null) return;
    const others = line.joints.filter((one) => one !== joint);
    const joints2 = others.length < line.joints.length ? others : [...line.joints, joint];
    if (joints2.length === 0) {
      showTold("A line without any joint poses nothing: this is its last one.");
      return;
    }
    baseline.value = { ...line, joints: joints2, byHand: true };
    if (line.pose)
      ask({ do: "move-pose-line", pose: line.pose, by: [0, 0, 0], ...this.posing(line.time), done: true });
  }
  /** Lay what is drawn into space: the first line as deep as bones lie under it, the second as deep as the first.
  
     Where a plane was put up the second lies on that, and knots are pulled along it. */
  lay(drawing) {
    const { kind, pixels, depth } = drawing;
    const line = baseline.value?.places ?? [];
    if (isDragged(drawing)) {
      const { at } = drawing;
      drawing.places = [this.plane.under(pixels.at(-1), at) ?? this.onPlane(pixels.at(-1), depth)];
    } else if (kind === "baseline") {
      const depths = smoothed(pixels.map((pixel) => this.boneDepth(pixel) ?? Number.NaN));
      drawing.places = pixels.map((pixel, i4) => this.onPlane(pixel, depths[i4] ?? depth));
    } else {
      const [ways, own] = [waysAlong(pixels), waysAlong(line)];
      const depths = line.map((place) => this.depthOf(place));
      drawing.places = pixels.map(
        (pixel, i4) => this.plane.under(pixel) ?? this.onPlane(pixel, between(own, depths, ways[i4]))
      );
    }
  }
  /** How deep the bone lies that is seen nearest to a pixel; null where none is near. */
  boneDepth(pixel) {
    const { skeleton } = this.stage.joints ?? {};
    const places = jointPlaces(this.stage);
    const window2 = this.stage.boxOf(this.stage.pane);
    const seen = places.map((place) => pixelOfPlace(place, this.stage.viewer.camera, window2));
    let [nearest, found] = [4 * NEAR6, null];
    skeleton?.parents.forEach((parent, joint) => {
      if (parent < 0) return;
      const [from, along] = [seen[parent], seen[joint].clone().sub(seen[parent])];
      const share = Math.min(
        1,
        Math.max(0, pixel.clone().sub(from).dot(along) / Math.max(along.lengthSq(), 1e-6))
      );
      const away = from.clone().addScaledVector(along, share).distanceTo(pixel);
      if (away >= nearest) return;
      nearest = away;
      found = this.depthOf(places[parent].clone().lerp(places[joint], share));
    });
    return found;
  }
  keep(places) {
    const joints2 = this.picked(places);
    if (joints2.length > 0) baseline.value = { places, joints: joints2, byHand: false, time: this.time(), pose: "" };
    else
      showTold("No joint lies within the brush of this line: draw over the bones, or make the brush larger.");
  }
  hover(event) {
    this.pointer = event && pixelOf(this.stage, event);
    this.hovered = this.pointer && jointUnder(this.stage, this.pointer);
    this.stage.canvas.classList.toggle("on-joint", this.plane.hover(this.pointer));
  }
  /** Before every picture. */
  update() {
    if (!this.within) return;
    const { stage: stage2, drawing } = this;
    const places = jointPlaces(stage2);
    if (places.length === 0) return;
    this.adopt();
    this.plane.update();
    if (drawing && drawing.kind !== "baseline" && drawing.length >= (isDragged(drawing) ? 0.5 : LEAST))
      this.tell(drawing, false);
    const line = drawing?.kind === "baseline" ? drawing.places : baseline.value?.places;
    const near = new Set(drawing?.kind === "baseline" ? this.picked(drawing.places) : baseline.value?.joints);
    const kinds = Uint8Array.from(places, (_4, joint) => {
      const pinned = pins.value.has(joint);
      return (near.has(joint) || pinned ? LIT : 0) + (pinned ? PINNED : 0) + (near.has(joint) ? LARGE : 0);
    });
    const window2 = stage2.boxOf(stage2.pane);
    this.dots.show(places, kinds, window2);
    if (line) this.first.show(line);
    else this.first.hide();
    this.drawSecond(window2);
    this.drawCircle(places);
    const over = this.pointer && (this.knotUnder(this.pointer) ?? this.lineUnder(this.pointer));
    stage2.canvas.classList.toggle("drawing", this.pointer !== null && over === null);
  }
  /** The second line with its knots; while a knot is pulled, straight from knot to knot. */
  drawSecond(window2) {
    const { drawing, pointer } = this;
    const drawn2 = drawing?.kind === "offset" ? null : this.drawn();
    const knots = drawn2?.knots.map(asPlace) ?? [];
    const by = drawing?.kind === "line" ? wayOf(drawing) : new Vector312();
    for (const knot of knots) knot.add(by);
    if (drawing?.kind === "knot") knots[drawing.knot] = drawing.places.at(-1);
    if (drawing?.kind === "offset") this.second.show(drawing.places);
    else
      this.second.show(
        drawing?.kind === "knot" ? knots : drawn2?.offset.map((place) => asPlace(place).add(by)) ?? []
      );
    const meant = drawing?.kind === "knot" ? drawing.knot : pointer && this.knotUnder(pointer);
    if (knots.length > 0)
      this.knots.show(
        knots,
        Uint8Array.from(knots, (_4, knot) => LIT + (knot === meant ? LARGE : 0)),
        window2
      );
    else this.knots.hide();
  }
  options() {
    const { stage: stage2 } = this;
    const through = () => baseline.value?.places.at(-1)?.clone() ?? stage2.joint(0) ?? new Vector312();
    return /* @__PURE__ */ a4(StrokeOptions, { face: () => facePlane(stage2), toggle: () => togglePlane(stage2, through()) });
  }
  time() {
    return this.stage.skin?.frame?.motionTime ?? 0;
  }
  /** The lines of the pose that is being drawn, as the engine has them. */
  drawn() {
    const name = baseline.value?.pose;
    return name && state.value?.edits.pose_strokes.find(({ pose }) => pose === name) || null;
  }
  /** A pose that was drawn a moment ago is the one to go on with; one that was undone is to be drawn anew. */
  adopt() {
    const line = baseline.value;
    if (!line || this.drawing) return;
    const known2 = state.value?.edits.pose_strokes ?? [];
    if (line.pose && !known2.some(({ pose }) => pose === line.pose)) baseline.value = { ...line, pose: "" };
    const last2 = known2.at(-1);
    if (!line.pose && last2 && last2.time === line.time && matches(last2.baseline, line.places))
      baseline.value = { ...line, pose: last2.pose };
  }
  depthOf(at) {
    const { camera } = this.stage.viewer;
    return at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector312()));
  }
  /** Where a pixel is on the plane at a depth that faces the viewer. */
  onPlane(pixel, depth) {
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const forward = camera.getWorldDirection(new Vector312());
    return camera.position.clone().addScaledVector(direction, depth / direction.dot(forward));
  }
  nearestJoint(pixel, places) {
    const { viewer } = this.stage;
    const window2 = this.stage.boxOf(this.stage.pane);
    const away = places.map((place) => pixelOfPlace(place, viewer.camera, window2).distanceTo(pixel));
    const joint = away.indexOf(Math.min(...away));
    return { joint, away: away[joint] };
  }
  knotUnder(pixel) {
    const drawn2 = this.drawn();
    if (!drawn2) return null;
    const window2 = this.stage.boxOf(this.stage.pane);
    const away = drawn2.knots.map(
      (knot) => pixelOfPlace(asPlace(knot), this.stage.viewer.camera, window2).distanceTo(pixel)
    );
    const nearest = Math.min(...away);
    return nearest < NEAR6 ? away.indexOf(nearest) : null;
  }
  /** The knot nearest to a pixel that lies on the second line between knots. */
  lineUnder(pixel) {
    const drawn2 = this.drawn();
    if (!drawn2 || partly.value) return null;
    const window2 = this.stage.boxOf(this.stage.pane);
    const seen = (place) => pixelOfPlace(asPlace(place), this.stage.viewer.camera, window2);
    const away = drawn2.offset.map((place) => seen(place).distanceTo(pixel));
    if (Math.min(...away) > NEAR_LINE) return null;
    const knots = drawn2.knots.map((knot) => seen(knot).distanceTo(pixel));
    return knots.indexOf(Math.min(...knots));
  }
  /** The joints within the brush of a line. */
  picked(line) {
    const radius2 = metres();
    return jointPlaces(this.stage).flatMap(
      (place, joint) => line.some((at, i4) => distanceToPiece2(place, at, line[i4 + 1] ?? at) <= radius2) ? [joint] : []
    );
  }
  /** The brush about the pointer while the first line is drawn. */
  drawCircle(places) {
    if (!this.pointer || phase.value !== "baseline") {
      this.circle.hide();
      return;
    }
    const depth = this.drawing?.depth ?? this.depthOf(places[this.nearestJoint(this.pointer, places).joint]);
    const towards = this.stage.viewer.camera.getWorldDirection(new Vector312()).negate();
    this.circle.show(this.onPlane(this.pointer, depth), towards, metres(), null);
  }
  posing(time) {
    const line = baseline.value;
    return {
      ...posingOptions(time),
      radius: metres(),
      joints: line?.byHand ? [...line.joints] : [],
      stretch: stretch.value,
      twist: twisted.value
    };
  }
  /** Take the knot under the pointer away. */
  deleteKnot() {
    const [line, knot] = [baseline.value, this.pointer && this.knotUnder(this.pointer)];
    if (!line || knot === null) return false;
    ask({ do: "delete-pose-knot", pose: line.pose, knot, ...this.posing(line.time), done: true });
    return true;
  }
  tell(drawing, done) {
    const line = baseline.value;
    const now = performance.now();
    if (!line) return;
    if (!done && (now - drawing.sent.time < SHORTEST_WAIT4 || drawing.sent.count === drawing.places.length)) {
      if (drawing.sent.count !== drawing.places.length) this.stage.redraw();
      return;
    }
    drawing.sent = { time: now, count: drawing.places.length };
    const options = { ...this.posing(line.time), done };
    if (drawing.kind === "line") {
      ask({ do: "move-pose-line", pose: line.pose, by: wayOf(drawing).toArray(), ...options });
      return;
    }
    if (drawing.kind === "knot") {
      const to = drawing.places.at(-1).toArray();
      ask({ do: "pull-pose-knot", pose: line.pose, knot: drawing.knot, to, ...options });
      return;
    }
    ask({
      do: "pose-by-strokes",
      baseline: thinned(line.places),
      offset: thinned(drawing.places),
      again: line.pose,
      part: partly.value && line.pose !== "",
      ...options
    });
    if (done) fresh.value = false;
  }
};
function isDragged({ kind }) {
  return kind === "knot" || kind === "line";
}
function wayOf({ from, places }) {
  return places.at(-1).clone().sub(from);
}
function forget() {
  baseline.value = null;
}
function setBrush(share) {
  brush.value = Math.min(0.4, Math.max(0.01, share));
}
function metres() {
  return brush.value * (state.value?.mesh.size || 1.8);
}
function asPlace([x3, y5, z3]) {
  return new Vector312(x3, y5, z3);
}
function matches(line, places) {
  const near = (a5, b3) => a5 && b3 && asPlace(a5).distanceTo(b3) < 1e-3;
  return Boolean(near(line[0], places[0]) && near(line.at(-1), places.at(-1)));
}

// src/scene/outline.ts
import {
  BufferAttribute as BufferAttribute6,
  BufferGeometry as BufferGeometry6,
  DynamicDrawUsage as DynamicDrawUsage4,
  LineBasicMaterial as LineBasicMaterial5,
  LineSegments,
  Vector3 as Vector313
} from "./three.js";
var NEARER = 4e-3;
var ROOM2 = 4096;
var Outline = class {
  material;
  positions = new BufferAttribute6(new Float32Array(6 * ROOM2), 3).setUsage(DynamicDrawUsage4);
  lines;
  edges = null;
  facing = new Uint8Array(0);
  constructor(look2) {
    this.material = new LineBasicMaterial5({ transparent: true, opacity: 0.9 });
    this.lines = new LineSegments(new BufferGeometry6(), this.material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 4;
    this.wear(look2);
  }
  wear(look2) {
    this.material.color.set(LOOKS[look2].ring);
  }
  hide() {
    this.lines.removeFromParent();
  }
  /** Along the outline of a skin in a group, as an eye sees it. */
  show(skin2, group, eye) {
    if (!skin2.frame) return;
    if (this.lines.parent !== group) group.add(this.lines);
    if (this.edges?.skin !== skin2) this.edges = { skin: skin2, sides: sidesOf(skin2) };
    this.face(skin2, eye);
    const { sides } = this.edges;
    const point = new Vector313();
    let count = 0;
    for (let at = 0; at < sides.length; at += 4) {
      const [one, other] = [sides[at + 2], sides[at + 3]];
      const seen = this.facing[one];
      if (other < 0 ? !seen : seen === this.facing[other]) continue;
      if (6 * (count + 1) > this.positions.array.length) this.grow();
      for (let end = 0; end < 2; end++) {
        skin2.point(sides[at + end], point).lerp(eye, NEARER);
        this.positions.setXYZ(2 * count + end, point.x, point.y, point.z);
      }
      count++;
    }
    this.positions.needsUpdate = true;
    this.lines.geometry.setAttribute("position", this.positions);
    this.lines.geometry.setDrawRange(0, 2 * count);
  }
  grow() {
    const larger = new Float32Array(2 * this.positions.array.length);
    larger.set(this.positions.array);
    this.lines.geometry.dispose();
    this.positions = new BufferAttribute6(larger, 3).setUsage(DynamicDrawUsage4);
  }
  /** Which triangles are turned to the eye. */
  face({ frame: frame2, data }, eye) {
    const { packed, low, side } = frame2;
    const { triangles } = data;
    const scale = 65535 / side;
    const [ex, ey, ez] = [(eye.x - low[0]) * scale, (eye.y - low[1]) * scale, (eye.z - low[2]) * scale];
    if (this.facing.length !== triangles.length / 3) this.facing = new Uint8Array(triangles.length / 3);
    for (let t4 = 0; t4 < triangles.length; t4 += 3) {
      const [a5, b3, c4] = [4 * triangles[t4], 4 * triangles[t4 + 1], 4 * triangles[t4 + 2]];
      const [ax, ay, az] = [packed[a5], packed[a5 + 1], packed[a5 + 2]];
      const [ux, uy, uz] = [packed[b3] - ax, packed[b3 + 1] - ay, packed[b3 + 2] - az];
      const [vx, vy, vz] = [packed[c4] - ax, packed[c4 + 1] - ay, packed[c4 + 2] - az];
      const turned = (uy * vz - uz * vy) * (ex - ax) + (uz * vx - ux * vz) * (ey - ay) + (ux * vy - uy * vx) * (ez - az);
      this.facing[t4 / 3] = turned > 0 ? 1 : 0;
    }
  }
};
function sidesOf({ data }) {
  const { triangles, vertexOfPoint } = data;
  const known2 = /* @__PURE__ */ new Map();
  const sides = new Int32Array(4 * triangles.length);
  const vertices = data.points + 1;
  let count = 0;
  for (let t4 = 0; t4 < triangles.length; t4 += 3)
    for (let corner = 0; corner < 3; corner++) {
      const [p5, q2] = [triangles[t4 + corner], triangles[t4 + (corner + 1) % 3]];
      const [v4, w5] = [vertexOfPoint[p5], vertexOfPoint[q2]];
      const name = Math.min(v4, w5) * vertices + Math.max(v4, w5);
      const there = known2.get(name);
      if (there !== void 0) sides[there + 3] = t4 / 3;
      else {
        known2.set(name, 4 * count);
        sides.set([p5, q2, t4 / 3, -1], 4 * count++);
      }
    }
  return sides.slice(0, 4 * count);
}

// src/tools/strokes/outline.ts
import { Vector2 as Vector26, Vector3 as Vector316 } from "./three.js";

// src/tools/strokes/ink.ts
import { Vector2 as Vector24 } from "./three.js";
var COLOURS2 = {
  dark: { line: "#ffd9a0", edge: "rgb(20 22 26 / 0.75)", chosen: "#ffffff" },
  light: { line: "#8a3f10", edge: "rgb(255 255 255 / 0.85)", chosen: "#1d1f24" }
};
var Ink = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.look = look2;
    this.canvas.className = "ink";
    this.canvas.setAttribute("aria-hidden", "true");
  }
  stage;
  look;
  canvas = document.createElement("canvas");
  context = this.canvas.getContext("2d");
  empty = true;
  wear(look2) {
    this.look = look2;
  }
  /** Away with all that was drawn; what follows is drawn for this picture. */
  clear() {
    const { clientWidth, clientHeight } = this.stage.canvas;
    if (!this.canvas.isConnected) this.stage.canvas.after(this.canvas);
    const ratio = devicePixelRatio;
    const [width2, height2] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (this.canvas.width !== width2 || this.canvas.height !== height2) {
      this.canvas.width = width2;
      this.canvas.height = height2;
    } else if (!this.empty) {
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.context.clearRect(0, 0, width2, height2);
    }
    const { left, top } = this.stage.boxOf(this.stage.pane);
    this.context.setTransform(ratio, 0, 0, ratio, ratio * left, ratio * top);
    this.empty = true;
  }
  /** A line through pixels, as wide at each as the pen was pressed. */
  line(pixels, pressures) {
    this.empty = false;
    const { context } = this;
    const { line, edge } = COLOURS2[this.look];
    context.lineCap = context.lineJoin = "round";
    for (const [colour2, wider] of [
      [edge, 2.5],
      [line, 0]
    ]) {
      context.strokeStyle = colour2;
      for (let i4 = 0; i4 < Math.max(1, pixels.length - 1); i4++) {
        const [a5, b3] = [pixels[i4], pixels[i4 + 1] ?? pixels[i4]];
        context.lineWidth = 1.2 + 4 * (pressures[i4] ?? 0.5) + wider;
        context.beginPath();
        context.moveTo(a5.x, a5.y);
        context.lineTo(b3.x, b3.y);
        context.stroke();
      }
    }
  }
  /** A thin smooth line through the knots of a stroke [Catmull and Rom 1974]. */
  curve(knots, strong) {
    if (knots.length < 2) return;
    this.empty = false;
    const { context } = this;
    const { line, edge } = COLOURS2[this.look];
    context.beginPath();
    context.moveTo(knots[0].x, knots[0].y);
    for (let i4 = 0; i4 + 1 < knots.length; i4++) {
      const [before, a5, b3] = [knots[i4 - 1] ?? knots[i4], knots[i4], knots[i4 + 1]];
      const after = knots[i4 + 2] ?? b3;
      context.bezierCurveTo(
        a5.x + (b3.x - before.x) / 6,
        a5.y + (b3.y - before.y) / 6,
        b3.x - (after.x - a5.x) / 6,
        b3.y - (after.y - a5.y) / 6,
        b3.x,
        b3.y
      );
    }
    context.globalAlpha = strong ? 1 : 0.55;
    for (const [colour2, width2] of [
      [edge, 3.5],
      [line, 1.5]
    ]) {
      context.strokeStyle = colour2;
      context.lineWidth = width2;
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  /** A straight stem from one pixel to another. */
  stem(from, to) {
    this.curve([from, to], true);
  }
  dot(pixel, radius2, chosen2) {
    this.mark(() => this.context.arc(pixel.x, pixel.y, radius2, 0, 2 * Math.PI), chosen2);
  }
  mark(outline, chosen2) {
    this.empty = false;
    const { context } = this;
    const { line, edge, chosen: white } = COLOURS2[this.look];
    context.beginPath();
    outline();
    context.fillStyle = chosen2 ? white : line;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = chosen2 ? line : edge;
    context.stroke();
  }
  /** A square, half as wide as this. */
  square(pixel, half, chosen2) {
    this.mark(() => this.context.rect(pixel.x - half, pixel.y - half, 2 * half, 2 * half), chosen2);
  }
  /** Where a place of the world is seen in the pane, in CSS pixels. */
  pixel(position) {
    const { width: width2, height: height2 } = this.stage.boxOf(this.stage.pane);
    const seen = position.clone().project(this.stage.viewer.camera);
    return new Vector24((1 + seen.x) / 2 * width2, (1 - seen.y) / 2 * height2);
  }
};

// src/tools/strokes/knots.ts
import { Vector2 as Vector25, Vector3 as Vector314 } from "./three.js";

// src/tools/strokes/settings.ts
var METHODS = ["smooth", "rigid", "laplacian"];
var USUAL_PROFILES = ["even", "bell", "parabola"];
var height = y3(0.022);
var reach = y3(0.035);
var method = y3("smooth");
var profile = y3("even");
var forced = y3(false);
var force = y3(20);
var creases = y3(false);
var otherWay = y3(false);
var chosenName = y3(null);
var chosenKnot = y3(null);
var insertAfter = y3(null);
var strokes = O(() => state.value?.edits.skin_strokes ?? []);
var size = O(() => state.value?.mesh.size || 1.8);
var chosenStroke = O(
  () => strokes.value.find(({ name }) => name === chosenName.value) ?? strokes.value.at(-1) ?? null
);
function chooseStroke(name, knot = null) {
  chosenName.value = name;
  chosenKnot.value = knot;
}
function layerOf({ name }) {
  const layers = state.value?.edits.layers ?? [];
  return layers.find(({ keys }) => keys.some(({ use }) => use === name)) ?? null;
}
function isHidden(stroke) {
  return layerOf(stroke)?.mute ?? true;
}
function deleteChosen(event) {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  if (event.target instanceof HTMLElement && event.target.closest("input, select, dialog, .timeline")) return;
  const stroke = chosenStroke.value;
  if (!stroke) return;
  event.preventDefault();
  if (chosenKnot.value === null || stroke.triangles.length < 2)
    ask({ do: "delete-stroke", stroke: stroke.name });
  else ask({ do: "delete-knot", stroke: stroke.name, knot: chosenKnot.value });
  chosenKnot.value = null;
}

// src/tools/strokes/knots.ts
var KNOT = 5;
var STEM = 34;
var GRIP = 24;
var DOWN = 0.3;
var NEAR_LINE2 = 0.6;
var NEAR7 = { mouse: 9, pen: 11, touch: 20 };
var SHORTEST_WAIT5 = 15;
var FARTHEST = 0.3;
var Knots = class {
  constructor(stage2, ink) {
    this.stage = stage2;
    this.ink = ink;
  }
  stage;
  ink;
  shown = [];
  covered = /* @__PURE__ */ new Set();
  // knots that other skin stands before
  looked = 0;
  drag = null;
  get dragging() {
    return this.drag !== null;
  }
  /** The knot under a pixel, the chosen stroke's first. */
  at(pixel, pointerType) {
    const near = NEAR7[pointerType] ?? 9;
    let best = null;
    let least = near;
    for (const one of this.shown) {
      const away = one.pixel.distanceTo(pixel) - (one.stroke.name === chosenStroke.value?.name ? 0.4 * near : 0);
      if (away < least) [best, least] = [one, away];
    }
    return best ?? this.line(pixel, NEAR_LINE2 * near);
  }
  /** The chosen stroke as a whole, if a pixel lies on its line; with the nearest knot that is seen. */
  line(pixel, near) {
    const own = this.shown.filter(
      ({ stroke, knot, whole }) => stroke === chosenStroke.value && knot >= 0 && !whole
    );
    const on = own.some((one, i4) => {
      const next = own[i4 + 1];
      return next?.knot === one.knot + 1 && distanceToPiece3(pixel, one.pixel, next.pixel) < near;
    });
    if (!on) return null;
    const away = own.map((one) => one.pixel.distanceTo(pixel));
    return { ...own[away.indexOf(Math.min(...away))], whole: true };
  }
  down(event, pixel) {
    const found = this.at(pixel, event.pointerType);
    const skin2 = this.stage.skin;
    if (!found || !skin2 || this.drag) return false;
    const { stroke, knot, whole = false, up = new Vector25(0, -1) } = found;
    chooseStroke(stroke.name, knot < 0 || whole ? null : knot);
    const [position] = this.surface(placeOf(this.stage, stroke, knot < 0 ? middleOf(stroke) : knot));
    this.drag = {
      pointer: event.pointerId,
      stroke,
      knot,
      whole,
      mesh: skin2.number,
      pixel,
      grip: this.ink.pixel(position).sub(pixel),
      start: pixel,
      up,
      perPixel: metresPerPixel(this.stage, position),
      by: new Vector314(),
      height: stroke.height,
      sent: [],
      time: 0,
      moved: false
    };
    return true;
  }
  move(pixel) {
    if (!this.drag) return;
    this.drag.moved ||= pixel.distanceTo(this.drag.start) > 2;
    this.drag.pixel = pixel;
  }
  up(cancelled) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.sent.length === 0) return;
    if (cancelled) [drag.by, drag.height] = [new Vector314(), drag.stroke.height];
    this.say(drag, !cancelled);
  }
  refused(seq) {
    if (!this.drag?.sent.some((one) => one.seq === seq)) return false;
    this.drag = null;
    return true;
  }
  lost() {
    this.drag = null;
  }
  /** Before every picture: the knots where they are now, and the one that is dragged under its pointer. */
  update() {
    const { skin: skin2 } = this.stage;
    this.shown = [];
    if (!skin2?.frame) return;
    if (this.drag && this.drag.mesh !== skin2.number) this.drag = null;
    const visible = strokes.value.filter((stroke) => !isHidden(stroke));
    this.lookAgain(visible);
    for (const stroke of visible) this.show(stroke);
    if (insertAfter.value !== null) this.insert(insertAfter.value);
    if (this.drag?.moved) this.carry(this.drag);
  }
  show(stroke) {
    const chosen2 = stroke.name === chosenStroke.value?.name;
    const eye = this.stage.viewer.camera.position;
    const pixels = [];
    const facing = [];
    let middle = null;
    for (let knot = 0; knot < stroke.triangles.length; knot++) {
      const place = placeOf(this.stage, stroke, knot);
      if (!place) return;
      const [position, normal] = this.surface(place);
      pixels.push(this.ink.pixel(position));
      facing.push(normal.dot(eye.clone().sub(position)) > 0 && !this.covered.has(`${stroke.name} ${knot}`));
      if (knot === middleOf(stroke)) middle = [position, normal];
    }
    if (chosen2 && middle && facing[middleOf(stroke)]) this.showHandles(stroke, pixels, ...middle);
    if (facing.some((seen) => seen)) this.ink.curve(pixels, chosen2);
    pixels.forEach((pixel, knot) => {
      if (!facing[knot]) return;
      this.shown.push({ stroke, knot, pixel });
      this.ink.dot(pixel, chosen2 ? KNOT : 2.5, chosen2 && chosenKnot.value === knot);
    });
  }
  /** One more knot of the chosen stroke, where the skin is seen in the middle between two. */
  insert(knot) {
    insertAfter.value = null;
    const stroke = chosenStroke.value;
    const [one, other] = [knot, knot + 1].map(
      (number) => this.shown.find((shown3) => shown3.stroke === stroke && shown3.knot === number && !shown3.whole)?.pixel
    );
    const place = one && other && placeAt(this.stage, one.clone().lerp(other, 0.5));
    if (!stroke || !place) {
      showTold("Both knots must be seen to put one between them.");
      return;
    }
    const [a5 = 0, b3 = 0, c4 = 0] = place.shares.map((share) => Math.min(1, Math.max(0, share)));
    const sum = a5 + b3 + c4;
    ask({
      do: "insert-knot",
      stroke: stroke.name,
      triangle: place.triangle,
      shares: [a5 / sum, b3 / sum, c4 / sum]
    });
    chosenKnot.value = knot + 1;
  }
  /** Whether skin stands before a knot costs a ray: one knot is asked about in every picture, in turn. */
  lookAgain(visible) {
    const all = visible.flatMap((stroke) => stroke.triangles.map((_4, knot) => ({ stroke, knot })));
    const one = all[++this.looked % Math.max(1, all.length)];
    const place = one && placeOf(this.stage, one.stroke, one.knot);
    if (!one || !place || this.drag) return;
    const eye = this.stage.viewer.camera.position;
    const [position] = this.surface(place);
    const hit = this.stage.pick(position.clone().sub(eye).normalize());
    const nearest = hit ? this.surface(hit)[0].distanceTo(eye) : Number.POSITIVE_INFINITY;
    const name = `${one.stroke.name} ${one.knot}`;
    if (nearest < position.distanceTo(eye) - 0.01 * size.value) this.covered.add(name);
    else this.covered.delete(name);
  }
  /** The handle of the height, and across from it the square by which all of it is dragged; both beside the line. */
  showHandles(stroke, pixels, position, normal) {
    const middle = middleOf(stroke);
    const base = pixels[middle];
    const along = (pixels[middle + 1] ?? base).clone().sub(pixels[middle - 1] ?? base);
    const step2 = 0.01 * size.value;
    const out = this.ink.pixel(position.clone().addScaledVector(normal, step2)).sub(base);
    const up = wayOut(out.multiplyScalar(metresPerPixel(this.stage, position) / step2), along);
    const end = base.clone().addScaledVector(up, STEM);
    this.ink.stem(base, end);
    this.ink.dot(end, 4, this.drag?.knot === -1);
    this.shown.push({ stroke, knot: -1, pixel: end, up });
    const grip = base.clone().addScaledVector(up, -GRIP);
    this.ink.square(grip, 4, this.drag?.whole ?? false);
    this.shown.push({ stroke, knot: middle, pixel: grip, whole: true });
  }
  carry(drag) {
    if (drag.knot < 0) {
      const rise = drag.pixel.clone().sub(drag.start).dot(drag.up) * drag.perPixel;
      const limit = FARTHEST * size.value;
      drag.height = Math.max(-limit, Math.min(limit, drag.stroke.height + rise));
    } else this.pull(drag);
    if (performance.now() - drag.time >= SHORTEST_WAIT5) this.say(drag, false);
    else this.stage.redraw();
  }
  /** From where the knot is without the pull that is in the frame, to where the pointer is now. */
  pull(drag) {
    const { skin: skin2, viewer } = this.stage;
    const place = placeOf(this.stage, drag.stroke, drag.knot);
    if (!place) return;
    const [seen] = this.surface(place);
    const inFrame = drag.sent.filter(({ seq }) => seq <= skin2.frame.lastCommand).at(-1);
    const base = inFrame ? seen.sub(inFrame.by) : seen;
    const forward = viewer.camera.getWorldDirection(new Vector314());
    const depth = base.clone().sub(viewer.camera.position).dot(forward);
    const direction = rayThrough(this.stage, drag.pixel.clone().add(drag.grip));
    const to = viewer.camera.position.clone().addScaledVector(direction, depth / direction.dot(forward));
    drag.by = to.sub(base).clampLength(0, FARTHEST * size.value);
  }
  say(drag, done) {
    const { stroke, knot, whole, by, height: height2 } = drag;
    drag.time = performance.now();
    const last2 = drag.sent.at(-1);
    if (!done && knot >= 0 && last2 && last2.by.distanceTo(by) < 1e-5) return;
    const seq = ask(
      knot < 0 ? { do: "change-height", stroke: stroke.name, height: height2, done } : {
        ...whole ? { do: "move-stroke" } : { do: "move-knot", knot },
        stroke: stroke.name,
        by: by.toArray(),
        done,
        view: this.stage.pane.number
      }
    );
    if (seq !== null) drag.sent.push({ seq, by: by.clone() });
  }
  surface(place) {
    const [position, normal] = [new Vector314(), new Vector314()];
    this.stage.skin.surface(place, position, normal);
    return [position, normal];
  }
};
function distanceToPiece3(pixel, from, to) {
  const along = to.clone().sub(from);
  const share = pixel.clone().sub(from).dot(along) / Math.max(along.lengthSq(), 1e-6);
  return from.clone().addScaledVector(along, Math.min(1, Math.max(0, share))).distanceTo(pixel);
}
function wayOut(out, along) {
  const across2 = along.length() > 0.5 ? new Vector25(along.y, -along.x).normalize() : new Vector25(0, -1);
  if (across2.y > 0) across2.negate();
  if (out.dot(across2) < -DOWN) across2.negate();
  return across2.multiplyScalar(Math.max(0, 1 - out.length())).add(out).normalize();
}
function middleOf({ triangles }) {
  return triangles.length >> 1;
}
function placeOf(stage2, stroke, knot) {
  const triangles = stage2.skin?.data.triangles;
  const at = 3 * (stroke.triangles[knot] ?? Number.POSITIVE_INFINITY);
  if (!triangles || at + 2 >= triangles.length) return null;
  return {
    triangle: at / 3,
    points: [triangles[at], triangles[at + 1], triangles[at + 2]],
    shares: stroke.shares[knot]
  };
}
function metresPerPixel(stage2, position) {
  const { viewer } = stage2;
  const forward = viewer.camera.getWorldDirection(new Vector314());
  const depth = position.clone().sub(viewer.camera.position).dot(forward);
  return 2 * depth * Math.tan(viewer.camera.fov * Math.PI / 360) / stage2.boxOf(stage2.pane).height;
}

// src/scene/parts.ts
var PARTS2 = ["#d55e00", "#56b4e9", "#202a44"];

// src/ui/icons.tsx
var PATHS = {
  hand: "M5.200 7V3.400a.9.9 0 0 1 1.800 0V6.500h.3V2.400a.9.9 0 0 1 1.800 0v4.100h.3V3.200a.9.9 0 0 1 1.800 0v3.700h.3V5a.9.9 0 0 1 1.700 0v5.200c0 2.600-1.700 4.300-4.100 4.300-1.900 0-3-.7-3.900-2.200L2.600 8.800c-.5-.8.5-1.800 1.300-1.200z",
  brush: "M13.200 1.400a1.300 1.300 0 0 1 1.500 1.500C13.400 5.500 10.900 8.600 9 10.100L6.900 8C8.400 6 11 2.700 13.200 1.400zM6 8.900 8.100 11c0 2-1.500 3.600-3.800 3.600-1.300 0-2.300-.4-2.800-.9 1-.1 1.500-.8 1.600-2C3.200 10 4.500 8.900 6 8.900z",
  joint: "M12 1.800a2.200 2.200 0 1 1-1.100 4.100L8.800 8l2.300 2.600a2.200 2.200 0 1 1-1 .9L7.500 8.500l.4-1.400 2-2A2.200 2.200 0 0 1 12 1.800zM4.200 5.800a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400zm0 1.300a.9.9 0 1 0 0 1.800.9.9 0 0 0 0-1.800z",
  bulge: "M1.500 12.600h2.600c1.500 0 1.900-5.600 3.900-5.600s2.400 5.600 3.900 5.600h2.600v-1.300h-2.300C11 11.300 10.600 5.700 8 5.700s-3 5.600-4.200 5.600H1.500zM8 1.200l2.200 2.300-.9.900L8 3.100 6.700 4.400l-.9-.9z",
  outline: "M9.500 1.500c-3 1-4.400 3.200-4.400 6.500s1.400 5.500 4.400 6.500l.4-1.300C7.500 12.400 6.400 10.700 6.400 8s1.100-4.400 3.500-5.200zM12.600 3.200l.9.9-1.500 1.400-.9-.9zM11.400 7.400h2.800v1.300h-2.800zM12 10.500l1.500 1.400-.9.900-1.500-1.400zM2 7.400h1.700v1.300H2z",
  eye: "M8 3.800c3 0 5.300 1.800 6.500 4.200-1.200 2.400-3.500 4.200-6.500 4.200S2.700 10.400 1.500 8C2.700 5.600 5 3.800 8 3.800zm0 1.300C5.800 5.100 4.100 6.300 3 8c1.100 1.700 2.800 2.900 5 2.900s3.900-1.200 5-2.900c-1.100-1.700-2.800-2.900-5-2.900zm0 .9a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  eyeShut: "M2.600 5.800C3.800 7.700 5.700 8.900 8 8.900s4.200-1.200 5.400-3.100l1.100.7a8 8 0 0 1-1.500 1.800l1.200 1.500-1 .8L11.900 9a6 6 0 0 1-1.700.8l.4 1.800-1.200.3-.4-1.800a9 9 0 0 1-2 0l-.4 1.800-1.200-.3.4-1.800A6 6 0 0 1 4.100 9l-1.300 1.600-1-.8L3 8.300a8 8 0 0 1-1.500-1.800z",
  strokePose: "M2.600 13.800c0-4.600 2-7.300 5.600-8.400l.4 1.200C5.500 7.600 3.900 9.900 3.900 13.800zM7.300 13.800c0-3.300 1.700-5.300 4.900-6.100l.3 1.200c-2.600.7-3.900 2.200-3.900 4.900zM11.800 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm0 1.200a.8.8 0 1 0 0 1.600.8.8 0 0 0 0-1.600z",
  path: "M2.500 14.200c-1-2.600.2-4.400 3.300-4.900l2.600-.4c2-.3 2.700-1.200 2.300-3l1.300-.3c.6 2.600-.6 4.200-3.400 4.600l-2.600.4c-2.200.3-2.900 1.300-2.300 3.200zM11 1.300a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  limp: "M5.500 1.800a1.900 1.900 0 1 1 0 3.800 1.900 1.900 0 0 1 0-3.800zM4.300 6.400h2.900c2.500 0 3.900 1.300 4.300 3.800l.6 3.600h-1.400l-.5-3.300c-.2-1.400-.8-2.200-1.900-2.500l.5 6h-1.400l-.3-3.200h-1.200l-.4 3.200H4.100l.3-5z",
  ball: "M10.500 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM3 4.600h2.800v1.200H3zM1 7.400h3.800v1.200H1zM3 10.200h2.800v1.200H3z",
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  stepBack: "M12.5 3v10L6 8zM3.5 3h2v10h-2z",
  stepAhead: "M3.5 3v10L10 8zM10.500 3h2v10h-2z",
  start: "M13 3v10L8 8zM8 3v10L3 8zM2 3h1.300v10H2z",
  undo: "M6.500 3 2.500 6.500l4 3.500V7.600h3a2.300 2.300 0 0 1 0 4.600H6v1.300h3.500a3.600 3.600 0 0 0 0-7.200h-3z",
  redo: "M9.500 3l4 3.500-4 3.500V7.600h-3a2.300 2.300 0 0 0 0 4.600H10v1.300H6.500a3.600 3.600 0 0 1 0-7.200h3z",
  frame: "M2 2h4v1.400H3.400V6H2zM10 2h4v4h-1.400V3.400H10zM2 10h1.400v2.600H6V14H2zM12.600 10H14v4h-4v-1.400h2.600zM8 5.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z",
  follow: "M8 1.500l2.200 2.700H8.700v3.100h3.100V5.800L14.500 8l-2.700 2.200V8.700H8.700v3.100h1.500L8 14.500l-2.200-2.700h1.500V8.700H4.200v1.500L1.500 8l2.700-2.200v1.500h3.100V4.200H5.800z",
  curves: "M2 2h1.300v10.700H14V14H2zM4.400 9.600l2.600-3.800 2.500 2.300 3.400-4.500 1 .8-4.300 5.700-2.400-2.300-1.800 2.600z",
  bones: "M3.600 2a1.600 1.600 0 0 1 1.600 1.400L6 5.200 8.600 7.800l1.900 2.100 1.300.2A1.600 1.600 0 1 1 11.500 13a1.600 1.600 0 0 1-1.400-1.600l-.2-1-2.300-1.600L5 6.200 3.800 5.200A1.600 1.600 0 0 1 3.600 2z",
  export: "M7.300 1.800h1.400v6.300l2.200-2.200 1 1L8 10.800 4.100 6.900l1-1 2.200 2.200zM2.500 10h1.400v2.600h8.200V10h1.400v4h-11z",
  save: "M2.500 2h8.800L14 4.700V14H2.500zM4 3.400v9.200h1.200V9h6v3.600h1.400V5.300l-1.900-1.900h-.4v2.900H5.200V3.400zm2.600 0v1.500h2.300V3.400zm0 7v2.200h3.200v-2.200z",
  panel: "M2 3h12v10H2zm1.400 1.400v7.200h5.300V4.400z",
  theme: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 1.500v9a4.500 4.500 0 0 0 0-9z",
  help: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 1.300a4.700 4.700 0 1 0 0 9.400 4.700 4.700 0 0 0 0-9.400zM7.300 10.300h1.400v1.400H7.300zM8 4.200c1.400 0 2.300.8 2.300 2 0 1.600-1.600 1.600-1.600 3.100H7.300c0-2.100 1.600-2.200 1.600-3.100 0-.5-.4-.8-.9-.8s-.9.3-.9.9H5.700c0-1.300.9-2.100 2.300-2.100z",
  reset: "M8 3a5 5 0 1 1-4.900 6h1.400A3.600 3.600 0 1 0 5 5.900L6.800 7.600H2.300V3.100L4 4.900A5 5 0 0 1 8 3z",
  loop: "M5 3.200h6a3 3 0 0 1 3 3V8h-1.400V6.200A1.600 1.600 0 0 0 11 4.600H5v1.900L2 3.900 5 1.300zM11 12.800H5a3 3 0 0 1-3-3V8h1.400v1.800A1.600 1.600 0 0 0 5 11.400h6V9.500l3 2.600-3 2.600z",
  baked: "M8 1.800c1.700 1.600 4.300 3.900 4.300 7.100A4.300 4.300 0 0 1 8 13.300a4.300 4.300 0 0 1-4.300-4.400C3.700 5.700 6.300 3.400 8 1.800zm0 2C6.500 5.300 5 7 5 8.900A3 3 0 0 0 8 12a3 3 0 0 0 3-3.100c0-1.900-1.500-3.600-3-5.100zM3 14h10v1.200H3z",
  planes: "M2 4.400 8.500 2v9.300L2 13.700zm1.300 1v6.500l3.900-1.500V3.900zM10 4.600l4-1.400v8l-4 1.500zM9.300 7h1.400v2H9.300z",
  layers: "M8 1.800 14.500 5 8 8.200 1.500 5zM3.200 7.300 8 9.700l4.800-2.400 1.700.8L8 11.300 1.500 8.100zM3.200 10.300 8 12.700l4.800-2.400 1.700.8L8 14.300l-6.500-3.200z",
  ghosts: "M10 2.500a3.500 3.500 0 0 1 3.500 3.500v7l-1.700-1.300L10 13l-1.800-1.300L6.500 13V6A3.500 3.500 0 0 1 10 2.500zM5.300 3.200A4.700 4.700 0 0 0 4.600 6v6.300L3 13V6.500a3.300 3.300 0 0 1 2.300-3.300z",
  key: "M8 2.500 13.500 8 8 13.500 2.500 8zm0 2L4.500 8 8 11.500 11.500 8z",
  bin: "M6 2h4v1.200h3.500v1.300h-11V3.200H6zM3.600 5.600h8.800l-.7 8.400H4.300zm1.500 1.300.5 5.800h4.800l.5-5.800z",
  up: "M8 4.500 13 10l-1 1-4-4.400L4 11l-1-1z",
  down: "M8 11.500 3 6l1-1 4 4.400L12 5l1 1z",
  history: "M8 2.500A5.500 5.500 0 1 1 2.600 9H4a4.100 4.100 0 1 0 .7-3.300L6.300 7.300H2.100V3.100l1.600 1.600A5.500 5.500 0 0 1 8 2.500zM7.400 5h1.200v2.800l2.200 1.300-.6 1-2.800-1.700z",
  radial: "M7.300 1.500h1.400v2.200C11 4.300 12.300 6 12.300 8S11 11.700 8.700 12.300v2.200H7.300v-2.200C5 11.700 3.700 10 3.700 8S5 4.300 7.300 3.700zm.7 3.500C6.200 5.400 5.100 6.600 5.100 8s1.100 2.600 2.900 3c1.800-.4 2.900-1.600 2.900-3S9.800 5.400 8 5z",
  wave: "M1.500 8C2.600 5 3.700 4 4.900 4c2.600 0 2.600 6.600 4.700 6.600 1 0 1.800-.8 2.800-3.200l1.300.5c-1.200 3-2.400 4.100-4.100 4.100C6.500 12 6.400 5.400 4.900 5.400c-.6 0-1.200.7-2.100 3.100z",
  close: "M3.800 2.800 8 7l4.200-4.200 1 1L9 8l4.200 4.200-1 1L8 9l-4.200 4.200-1-1L7 8 2.800 3.800z",
  open: "M1.500 3.500h4.600l1.400 1.600h7V13h-13zm1.400 3v5.100h10.200V6.500z",
  box: "M8 1.500 14 4.800v6.400L8 14.500 2 11.200V4.800zM8 3 4.300 5.100 8 7.200l3.700-2.100zM3.300 6.200v4.300l4 2.200V8.400zM12.700 6.200l-4 2.200v4.300l4-2.200z",
  search: "M7 2.500a4.500 4.500 0 0 1 3.600 7.200l3 3-1 1-3-3A4.500 4.500 0 1 1 7 2.500zm0 1.400a3.100 3.100 0 1 0 0 6.200 3.100 3.100 0 0 0 0-6.200z"
};
function Icon({ name }) {
  return /* @__PURE__ */ a4("svg", { viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true", focusable: "false", children: /* @__PURE__ */ a4("path", { d: PATHS[name], fill: "currentColor", "fill-rule": "evenodd" }) });
}

// src/tools/strokes/gesture.ts
var MOST = 1e4;
var timed = y3(null);
var Gesture = class {
  pointer = null;
  start = { time: 0, clock: 0 };
  // of the motion [s], of the hand [ms]
  samples = [];
  get going() {
    return this.pointer !== null;
  }
  down(stage2, event) {
    if (timed.value === null) return false;
    this.pointer = event.pointerId;
    this.start = { time: motionTime.value, clock: event.timeStamp };
    this.samples = [];
    this.move(stage2, event);
    return true;
  }
  /** By the clock of the hand: pictures may come seldom. */
  move(stage2, event) {
    for (const one of movesOf(event).slice(0, MOST - this.samples.length)) {
      const { x: x3, y: y5 } = pixelOf(stage2, one);
      this.samples.push([(one.timeStamp - this.start.clock) / 1e3, x3, -y5]);
    }
  }
  up(cancelled) {
    const use = timed.value;
    this.lost();
    if (!cancelled && use !== null && this.samples.length > 1)
      ask({ do: "time-by-gesture", use, time: this.start.time, samples: this.samples });
  }
  lost() {
    this.pointer = null;
    timed.value = null;
  }
};

// src/tools/strokes/region.ts
var LINGERS = 1500;
var ONE_STEP = 500;
var SHORTEST_WAIT6 = 50;
var LONGEST_WAIT = 2e3;
var TURN = 15e-4;
var WIDEST = 0.15;
var NARROWEST = 2e-3;
var regionShown = y3(false);
var pointedAt = y3(false);
var changing = y3(false);
var inHand = y3(false);
var wanted = O(
  () => inHand.value && (regionShown.value || pointedAt.value || changing.value) ? chosenStroke.value?.name ?? "" : ""
);
var region = O(() => {
  const told = state.value?.edits.region ?? null;
  return told && told.stroke === wanted.value ? told : null;
});
x2(() => {
  const name = wanted.value;
  if (link.value.open && state.peek()) ask({ do: "show", region: name });
});
function takeRegionInHand(taken) {
  inHand.value = taken;
  if (!taken) pointedAt.value = false;
}
function pointAtStroke(at) {
  pointedAt.value = at;
}
var width = null;
var [later, shown2, last] = [0, 0, 0];
x2(() => {
  const told = region.value;
  if (width?.done && told?.stroke === width.stroke && told.reach === width.reach) width = null;
});
function widthOfChosen() {
  const name = chosenStroke.value?.name;
  const isMade = width?.done && performance.now() - width.sent > LONGEST_WAIT;
  if (width && !isMade && width.stroke === name) return width.reach;
  return region.value?.stroke === name ? region.value?.reach ?? null : null;
}
function setWidth(metres2, done) {
  const stroke = chosenStroke.value?.name;
  if (!stroke) return;
  const least = NARROWEST * size.value;
  const reached = Math.min(WIDEST * size.value, Math.max(least, metres2));
  changing.value = true;
  clearTimeout(shown2);
  shown2 = window.setTimeout(() => {
    changing.value = false;
  }, LINGERS);
  width = { stroke, reach: reached, done, sent: performance.now() };
  clearTimeout(last);
  const tell2 = () => ask({ do: "change-reach", stroke, reach: reached, done });
  if (!done) {
    last = window.setTimeout(tell2, SHORTEST_WAIT6);
    return;
  }
  tell2();
}
function turnWheel(event) {
  const pixels = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
  const by = Math.exp(-TURN * Math.max(-200, Math.min(200, pixels)));
  if (!chosenStroke.value) {
    reach.value = Math.min(WIDEST, Math.max(NARROWEST, reach.value * by));
    return;
  }
  const now = widthOfChosen();
  changing.value = true;
  if (now === null) return;
  setWidth(now * by, false);
  clearTimeout(later);
  later = window.setTimeout(() => {
    if (width && !width.done) setWidth(width.reach, true);
  }, ONE_STEP);
}

// src/tools/strokes/options.tsx
var HIGHEST = 0.06;
var STEP2 = 5e-4;
function RaiseOptions() {
  return /* @__PURE__ */ a4("div", { class: "stroke-options", children: [
    /* @__PURE__ */ a4(
      Length,
      {
        label: "Height",
        title: "Under a pen that is pressed all the way; a mouse presses half as hard. Below zero it dents.",
        value: height,
        low: -HIGHEST,
        high: HIGHEST
      }
    ),
    /* @__PURE__ */ a4(RegionRows, {}),
    /* @__PURE__ */ a4(Choice, { label: "Profile", title: "How the height goes along the line", value: profile, all: profiles() }),
    state.value?.edits.firm && /* @__PURE__ */ a4(
      Switch2,
      {
        label: "As a force",
        title: "The line alone is held, and skin round it follows by its springs",
        value: forced
      }
    ),
    state.value?.edits.firm && forced.value && /* @__PURE__ */ a4("label", { class: "chooser", title: "How many times as hard as springs are", children: [
      /* @__PURE__ */ a4("span", { children: "Force" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "range",
          min: 1,
          max: 100,
          step: 1,
          value: force.value,
          onInput: (event) => {
            force.value = Number(event.currentTarget.value);
          }
        }
      ),
      /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
        force.value,
        " ×"
      ] })
    ] }),
    /* @__PURE__ */ a4(Strokes, {})
  ] });
}
function OutlineOptions() {
  return /* @__PURE__ */ a4("div", { class: "stroke-options", children: [
    /* @__PURE__ */ a4(RegionRows, {}),
    /* @__PURE__ */ a4(
      Switch2,
      {
        label: "Creases",
        title: "Lines along which skin is sharply bent can be drawn anew too",
        value: creases
      }
    ),
    /* @__PURE__ */ a4(
      Switch2,
      {
        label: "Other way round",
        title: "Take the outline the other way round between the ends of the line",
        value: otherWay
      }
    ),
    /* @__PURE__ */ a4(Strokes, {})
  ] });
}
function profiles() {
  const all = state.value?.edits.profiles ?? [];
  return [...USUAL_PROFILES, ...all.filter((name) => !USUAL_PROFILES.some((usual) => usual === name))];
}
function RegionRows() {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      Length,
      {
        label: "Width",
        title: "How far round the line skin follows",
        value: reach,
        low: STEP2,
        high: WIDEST
      }
    ),
    /* @__PURE__ */ a4(
      Choice,
      {
        label: "Solver",
        title: "Smooth swells like a plate, rigid turns, Laplacian keeps detail",
        value: method,
        all: METHODS
      }
    )
  ] });
}
var centimetres = (metres2) => `${(100 * metres2).toFixed(1)} cm`;
function Length(given) {
  const { label, title, value, low, high } = given;
  return /* @__PURE__ */ a4("label", { class: "chooser", title, children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: low,
        max: high,
        step: STEP2,
        value: value.value,
        "aria-valuetext": centimetres(value.value * size.value),
        onInput: (event) => {
          value.value = Number(event.currentTarget.value);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: centimetres(value.value * size.value) })
  ] });
}
function Choice(given) {
  const { label, title, value, all } = given;
  return /* @__PURE__ */ a4("label", { class: "chooser", title, children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4(
      "select",
      {
        value: value.value,
        onChange: (event) => {
          value.value = event.currentTarget.value;
        },
        children: all.map((name) => /* @__PURE__ */ a4("option", { value: name, children: plainName(name) }, name))
      }
    )
  ] });
}
function Switch2({ label, title, value }) {
  return /* @__PURE__ */ a4("label", { class: "check", title, children: [
    /* @__PURE__ */ a4(
      "input",
      {
        type: "checkbox",
        class: "switch",
        role: "switch",
        "aria-checked": value.value,
        checked: value.value,
        onChange: (event) => {
          value.value = event.currentTarget.checked;
        }
      }
    ),
    /* @__PURE__ */ a4("span", { children: label })
  ] });
}
function Strokes() {
  if (strokes.value.length === 0) return null;
  return /* @__PURE__ */ a4("ul", { class: "strokes", "aria-label": "Strokes on the skin", children: [...strokes.value].reverse().map((stroke) => /* @__PURE__ */ a4("li", { children: [
    /* @__PURE__ */ a4(StrokeRow, { stroke }),
    stroke.name === chosenStroke.value?.name && /* @__PURE__ */ a4(ChosenStroke, { stroke })
  ] }, stroke.name)) });
}
function StrokeRow({ stroke }) {
  const { name } = stroke;
  const hidden = isHidden(stroke);
  const layer = layerOf(stroke);
  return /* @__PURE__ */ a4("div", { class: "stroke-row", children: [
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button stroke-name",
        "aria-pressed": name === chosenStroke.value?.name,
        onClick: () => chooseStroke(name),
        children: name
      }
    ),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-pressed": !hidden,
        "aria-label": `${hidden ? "Show" : "Hide"} ${name}`,
        title: hidden ? "Show" : "Hide",
        disabled: !layer,
        onClick: () => layer && ask({ do: "change-layer", layer: layer.name, mute: !hidden }),
        children: /* @__PURE__ */ a4(Icon, { name: hidden ? "eyeShut" : "eye" })
      }
    ),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-label": `Delete ${name}`,
        title: "Delete",
        onClick: () => ask({ do: "delete-stroke", stroke: name }),
        children: /* @__PURE__ */ a4(Icon, { name: "close" })
      }
    )
  ] });
}
function ChosenStroke({ stroke }) {
  const layer = layerOf(stroke);
  const knot = chosenKnot.value;
  const rise = (value, done) => ask({ do: "change-height", stroke: stroke.name, height: value, done });
  return /* @__PURE__ */ a4("div", { class: "stroke-options", children: [
    /* @__PURE__ */ a4(
      Live,
      {
        label: "Height",
        value: stroke.height,
        low: -HIGHEST * size.value,
        high: HIGHEST * size.value,
        shown: centimetres,
        change: rise
      }
    ),
    /* @__PURE__ */ a4(Width, {}),
    layer && /* @__PURE__ */ a4(
      Live,
      {
        label: "Amount",
        value: layer.amount,
        low: 0,
        high: 2,
        shown: (amount) => `${Math.round(100 * amount)} %`,
        change: (amount, done) => ask({ do: "change-layer", layer: layer.name, amount, done })
      }
    ),
    /* @__PURE__ */ a4("div", { class: "button-row", children: [
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button outlined",
          title: "Put it on the other side of the body too",
          onClick: () => ask({ do: "mirror-stroke", stroke: stroke.name }),
          children: "Mirror"
        }
      ),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button outlined",
          "aria-pressed": timed.value === stroke.name,
          title: "Press on the stage and go up and down while it plays: up is all of it, down is none",
          onClick: () => {
            timed.value = timed.value === stroke.name ? null : stroke.name;
          },
          children: "Time it by hand"
        }
      )
    ] }),
    timed.value === stroke.name && /* @__PURE__ */ a4("p", { class: "quiet", children: "Now press on the stage and go up and down while it plays: up is all of it." }),
    knot !== null && knot + 1 < stroke.triangles.length && /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button outlined",
        onClick: () => {
          insertAfter.value = knot;
        },
        children: [
          "Insert a knot after ",
          knot + 1
        ]
      }
    ),
    knot !== null && /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button outlined",
        onClick: () => {
          ask({ do: "delete-knot", stroke: stroke.name, knot });
          chosenKnot.value = null;
        },
        children: [
          "Delete knot ",
          knot + 1,
          " of ",
          stroke.triangles.length
        ]
      }
    )
  ] });
}
function Width() {
  const width2 = widthOfChosen();
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      Switch2,
      {
        label: "Show what follows",
        title: "Skin under the line, skin that follows it, and the ring that stays, in three colours",
        value: regionShown
      }
    ),
    region.value && width2 !== null && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(
        Live,
        {
          label: "Width",
          value: width2,
          low: 0,
          high: WIDEST * size.value,
          shown: centimetres,
          change: setWidth
        }
      ),
      /* @__PURE__ */ a4("ul", { class: "parts", "aria-label": "Colours of the skin round it", children: ["Line", "Follows", "Stays"].map((name, i4) => /* @__PURE__ */ a4("li", { children: [
        /* @__PURE__ */ a4("span", { class: "swatch", style: { background: PARTS2[i4] } }),
        name
      ] }, name)) })
    ] })
  ] });
}
function Live(given) {
  const { label, value, low, high, shown: shown3, change: change4 } = given;
  return /* @__PURE__ */ a4("label", { class: "chooser", children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: low,
        max: high,
        step: (high - low) / 400,
        value,
        "aria-valuetext": shown3(value),
        onInput: ({ currentTarget }) => soon(`stroke ${label}`, () => change4(Number(currentTarget.value), false)),
        onChange: ({ currentTarget }) => {
          notSoon(`stroke ${label}`);
          change4(Number(currentTarget.value), true);
        }
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: shown3(value) })
  ] });
}

// src/tools/strokes/pen.ts
import { Vector3 as Vector315 } from "./three.js";
var HALF = 0.5;
function samplesOf(stage2, event) {
  return movesOf(event).map((one) => {
    const { x: x3, y: y5 } = pixelOf(stage2, one);
    return [x3, y5, one.pressure > 0 ? Math.min(1, one.pressure) : HALF];
  });
}
function pictureOf(stage2) {
  const frame2 = stage2.skin?.frame;
  if (!frame2) return null;
  const { camera } = stage2.viewer;
  const { width: width2, height: height2 } = stage2.boxOf(stage2.pane);
  const forward = camera.getWorldDirection(new Vector315());
  const [aside, down2] = camera.view?.enabled ? [camera.view.offsetX, camera.view.offsetY] : [0, 0];
  const size3 = [
    Math.ceil(width2 + 2 * Math.abs(aside)),
    Math.ceil(height2 + 2 * Math.abs(down2))
  ];
  const look2 = {
    frame: frame2.frame,
    position: camera.position.toArray(),
    target: camera.position.clone().add(forward).toArray(),
    up: new Vector315().setFromMatrixColumn(camera.matrixWorld, 1).toArray(),
    view_angle: 2 * Math.atan(Math.tan(camera.fov * Math.PI / 360) * size3[1] / height2),
    size: size3
  };
  return { look: look2, corner: [(size3[0] - width2) / 2 + aside, (size3[1] - height2) / 2 + down2] };
}
var Stretches = class {
  waiting = [];
  /** Samples in pixels of the pane. */
  add({ look: look2, corner }, samples) {
    const moved2 = samples.map(([x3, y5, pressure]) => [x3 + corner[0], y5 + corner[1], pressure]);
    const last2 = this.waiting.at(-1);
    if (last2 && sameLook(last2.look, look2)) last2.samples.push(...moved2);
    else this.waiting.push({ look: look2, samples: moved2 });
  }
  /** All that was not yet sent. */
  take() {
    return this.waiting.splice(0);
  }
};
function sameLook(one, other) {
  return one.frame === other.frame && one.size.every((value, axis) => value === other.size[axis]) && one.position.every((value, axis) => value === other.position[axis]) && one.target.every((value, axis) => value === other.target[axis]);
}

// src/tools/strokes/outline.ts
var NEAR8 = 48;
var WAYS = 8;
var STEP_BEHIND = 0.04;
var MOST_SAMPLES = 1e4;
var MOST_MOVING = 12e4;
var RedrawOutline = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.ink = new Ink(stage2, look2);
    this.knots = new Knots(stage2, this.ink);
    this.outline = new Outline(look2);
  }
  stage;
  id = "outline";
  name = "Redraw the outline";
  key = "O";
  icon = "outline";
  hint = "Draw a line beside the outline that lights up: the skin goes to it.";
  ink;
  knots;
  outline;
  line = null;
  pointer = null;
  options = OutlineOptions;
  wear(look2) {
    this.ink.wear(look2);
    this.outline.wear(look2);
  }
  enter() {
    addEventListener("keydown", deleteChosen);
    this.stage.redraw();
  }
  leave() {
    removeEventListener("keydown", deleteChosen);
    this.lost();
    this.pointer = null;
    this.ink.clear();
    this.outline.hide();
    this.stage.canvas.classList.remove("on-skin", "holding", "drawing");
  }
  down(event) {
    if (this.line && this.line.asked === null || this.knots.dragging) return true;
    const pixel = pixelOf(this.stage, event);
    if (this.knots.down(event, pixel)) return true;
    if (!this.nearOutline(pixel)) return false;
    const playing2 = state.value?.transport.playing ?? false;
    if (playing2) ask({ do: "pause" });
    this.line = { pointer: event.pointerId, pixels: [pixel], resume: playing2, asked: null };
    return true;
  }
  move(event) {
    if (this.knots.dragging) this.knots.move(pixelOf(this.stage, event));
    else if (event.pointerId === this.line?.pointer && this.line.asked === null)
      for (const [x3, y5] of samplesOf(this.stage, event)) {
        const pixel = new Vector26(x3, y5);
        const { pixels } = this.line;
        if (pixels.length < MOST_SAMPLES && pixels.at(-1).distanceTo(pixel) > 0.5) pixels.push(pixel);
      }
  }
  up(event, cancelled) {
    if (this.knots.dragging) this.knots.up(cancelled);
    else if (event.pointerId === this.line?.pointer && this.line.asked === null) this.end(cancelled);
  }
  hover(event) {
    this.pointer = event && { pixel: pixelOf(this.stage, event), type: event.pointerType };
  }
  update() {
    const { skin: skin2, pane, viewer } = this.stage;
    const { line } = this;
    this.ink.clear();
    this.knots.update();
    if (line && (line.asked ?? Infinity) <= (skin2?.frame?.lastCommand ?? 0)) this.line = null;
    else if (line)
      this.ink.line(
        line.pixels,
        line.pixels.map(() => 0.3)
      );
    const light = (skin2?.data.triangles.length ?? 0) / 3 <= MOST_MOVING;
    if (skin2 && (light || !state.value?.transport.playing))
      this.outline.show(skin2, pane.group, viewer.camera.position);
    else this.outline.hide();
    const knot = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    this.stage.canvas.classList.toggle("on-skin", Boolean(knot) && !this.knots.dragging);
    this.stage.canvas.classList.toggle("holding", this.knots.dragging);
    this.stage.canvas.classList.toggle("drawing", !knot && !this.knots.dragging);
  }
  refused({ seq }) {
    if (this.knots.refused(seq) || seq === this.line?.asked) this.line = null;
    this.stage.redraw();
  }
  lost() {
    if (this.line?.resume && this.line.asked === null) ask({ do: "play" });
    this.line = null;
    this.knots.lost();
  }
  end(cancelled) {
    const line = this.line;
    const picture = pictureOf(this.stage);
    if (cancelled || !picture || line.pixels.length < 2) {
      this.lost();
      return;
    }
    chooseStroke(null);
    line.asked = ask({
      do: "redraw-outline",
      look: picture.look,
      pixels: line.pixels.map(({ x: x3, y: y5 }) => [x3 + picture.corner[0], y5 + picture.corner[1]]),
      reach: reach.value * size.value,
      method: method.value,
      creases: creases.value,
      other_way: otherWay.value,
      view: this.stage.pane.number
    });
    if (line.resume) ask({ do: "play" });
    if (line.asked === null) this.line = null;
  }
  /** Whether skin ends near a pixel: in some way from it there is skin, and in another none, or much farther away. */
  nearOutline(pixel) {
    const depths = [pixel, ...around(pixel)].map((one) => this.depth(one));
    return Math.max(...depths) - Math.min(...depths) > STEP_BEHIND * size.value;
  }
  depth(pixel) {
    const place = placeAt(this.stage, pixel);
    if (!place) return 1e9;
    const position = new Vector316();
    this.stage.skin.surface(place, position, new Vector316());
    return position.distanceTo(this.stage.viewer.camera.position);
  }
};
function around({ x: x3, y: y5 }) {
  return Array.from({ length: WAYS }, (_4, way) => {
    const angle = 2 * Math.PI * way / WAYS;
    return new Vector26(x3 + NEAR8 * Math.cos(angle), y5 + NEAR8 * Math.sin(angle));
  });
}

// src/tools/strokes/raise.ts
import { Vector2 as Vector27, Vector3 as Vector317 } from "./three.js";
var SENT_EVERY = 60;
var APART2 = 2;
var MOST_PICKED = 12e4;
var lines = 0;
var RaiseSkin = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.ink = new Ink(stage2, look2);
    this.knots = new Knots(stage2, this.ink);
    x2(() => {
      const { held, following: following2, staying } = region.value ?? { held: [], following: [], staying: [] };
      stage2.colourRegion([held, following2, staying]);
    });
  }
  stage;
  id = "raise";
  name = "Raise by a stroke";
  key = "R";
  icon = "bulge";
  hint = "Draw on the skin: it swells under the line. Drag its knots or all of it; the wheel over it changes its width.";
  ink;
  knots;
  gesture = new Gesture();
  line = null;
  pointer = null;
  options = RaiseOptions;
  wear(look2) {
    this.ink.wear(look2);
  }
  enter() {
    addEventListener("keydown", deleteChosen);
    takeRegionInHand(true);
    this.stage.redraw();
  }
  leave() {
    removeEventListener("keydown", deleteChosen);
    takeRegionInHand(false);
    this.lost();
    this.pointer = null;
    this.ink.clear();
    this.stage.canvas.classList.remove("on-skin", "holding", "drawing");
  }
  down(event) {
    const { skin: skin2 } = this.stage;
    if (this.line && this.line.asked === null || this.knots.dragging) return true;
    const pixel = pixelOf(this.stage, event);
    if (this.gesture.going || this.gesture.down(this.stage, event)) return true;
    if (this.knots.down(event, pixel)) return true;
    if (!skin2 || !placeAt(this.stage, pixel)) return false;
    this.line = {
      name: `${Date.now().toString(36)} ${++lines}`,
      pointer: event.pointerId,
      mesh: skin2.number,
      stretches: new Stretches(),
      places: [],
      sent: performance.now(),
      asked: null
    };
    this.draw(samplesOf(this.stage, event));
    return true;
  }
  move(event) {
    if (this.gesture.going) this.gesture.move(this.stage, event);
    else if (this.knots.dragging) this.knots.move(pixelOf(this.stage, event));
    else if (event.pointerId === this.line?.pointer && this.line.asked === null)
      this.draw(samplesOf(this.stage, event));
  }
  up(event, cancelled) {
    if (this.gesture.going) this.gesture.up(cancelled);
    else if (this.knots.dragging) this.knots.up(cancelled);
    else if (event.pointerId === this.line?.pointer && this.line.asked === null) this.end(cancelled);
  }
  hover(event) {
    this.pointer = event && { pixel: pixelOf(this.stage, event), type: event.pointerType };
  }
  /** Over the chosen stroke, or anywhere with Shift. */
  wheel(event) {
    const on = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    if (!on && !event.shiftKey) return false;
    turnWheel(event);
    return true;
  }
  update() {
    const { line } = this;
    const { skin: skin2 } = this.stage;
    this.ink.clear();
    this.knots.update();
    if (line && (line.mesh !== skin2?.number || (line.asked ?? Infinity) <= (skin2?.frame?.lastCommand ?? 0)))
      this.line = null;
    else if (line) {
      if (line.asked === null && performance.now() - line.sent > SENT_EVERY) this.send(line);
      this.ink.line(
        line.places.map(({ place, pixel }) => this.seen(place, pixel)),
        line.places.map(({ pressure }) => pressure)
      );
    }
    this.updateCursor();
  }
  refused({ seq }) {
    if (this.knots.refused(seq) || seq === this.line?.asked) this.line = null;
    this.stage.redraw();
  }
  lost() {
    if (this.line && this.line.asked === null) ask({ do: "drop-line", line: this.line.name });
    this.line = null;
    this.knots.lost();
    this.gesture.lost();
  }
  draw(samples) {
    const [line, picture] = [this.line, pictureOf(this.stage)];
    if (!picture) return;
    line.stretches.add(picture, samples);
    for (const [x3, y5, pressure] of samples) {
      const pixel = new Vector27(x3, y5);
      const last2 = line.places.at(-1);
      if (last2 && last2.pixel.distanceTo(pixel) < APART2) continue;
      line.places.push({ place: this.stick(pixel), pixel, pressure });
    }
  }
  stick(pixel) {
    const triangles = (this.stage.skin?.data.triangles.length ?? 0) / 3;
    return triangles <= MOST_PICKED ? placeAt(this.stage, pixel) : null;
  }
  seen(place, pixel) {
    if (!place || !this.stage.skin) return pixel;
    const position = new Vector317();
    this.stage.skin.surface(place, position, new Vector317());
    return this.ink.pixel(position);
  }
  send(line) {
    line.sent = performance.now();
    const stretches = line.stretches.take();
    if (stretches.length > 0) ask({ do: "draw", line: line.name, stretches, view: this.stage.pane.number });
  }
  end(cancelled) {
    const line = this.line;
    if (cancelled) {
      this.lost();
      return;
    }
    this.send(line);
    chooseStroke(null);
    line.asked = ask({
      do: "raise",
      line: line.name,
      height: height.value * size.value,
      reach: reach.value * size.value,
      profile: profile.value,
      method: method.value,
      force: forced.value && state.value?.edits.firm ? force.value : null,
      view: this.stage.pane.number
    });
    if (line.asked === null) this.line = null;
  }
  updateCursor() {
    const { canvas } = this.stage;
    const knot = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    pointAtStroke(Boolean(knot) || this.knots.dragging);
    const on = this.pointer && !knot && placeAt(this.stage, this.pointer.pixel) !== null;
    canvas.classList.toggle("on-skin", Boolean(knot) && !this.knots.dragging);
    canvas.classList.toggle("holding", this.knots.dragging);
    canvas.classList.toggle("drawing", Boolean(on) || this.line?.asked === null);
  }
};

// src/tools/throw.ts
import { Vector3 as Vector318 } from "./three.js";

// src/ui/things.tsx
var KINDS2 = ["ball", "box", "capsule"];
function ThingOptions() {
  const things = state.value?.things;
  if (!things?.met)
    return /* @__PURE__ */ a4("div", { class: "brush", children: [
      /* @__PURE__ */ a4("p", { class: "quiet", children: "This skin meets nothing. Contact does:" }),
      /* @__PURE__ */ a4("div", { class: "button-row", children: /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          onClick: () => ask({ do: "choose-skin", skin: "contact", view: view.value?.view ?? 0 }),
          children: "Contact"
        }
      ) })
    ] });
  return /* @__PURE__ */ a4("div", { class: "brush", children: [
    /* @__PURE__ */ a4("fieldset", { class: "actions-of-brush", children: [
      /* @__PURE__ */ a4("legend", { class: "visually-hidden", children: "What to put in" }),
      KINDS2.map((kind) => /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          "aria-pressed": thingKind.value === kind,
          onClick: () => {
            thingKind.value = kind;
          },
          children: plainName(kind)
        },
        kind
      ))
    ] }),
    /* @__PURE__ */ a4("label", { class: "chooser", title: "How large it is across", children: [
      /* @__PURE__ */ a4("span", { children: "Size" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "range",
          min: 0.05,
          max: 0.6,
          step: 0.01,
          value: thingSize.value,
          onInput: (event) => {
            thingSize.value = Number(event.currentTarget.value);
          }
        }
      ),
      /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
        Math.round(100 * thingSize.value),
        " cm"
      ] })
    ] }),
    /* @__PURE__ */ a4("label", { class: "check", title: "What is not free stands still, whatever hits it", children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": thingFree.value,
          checked: thingFree.value,
          onChange: (event) => {
            thingFree.value = event.currentTarget.checked;
          }
        }
      ),
      /* @__PURE__ */ a4("span", { children: "Falls and flies" })
    ] }),
    thingFree.value && /* @__PURE__ */ a4("label", { class: "chooser", title: "How heavy it is", children: [
      /* @__PURE__ */ a4("span", { children: "Mass" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "range",
          min: 0.2,
          max: 20,
          step: 0.2,
          value: thingMass.value,
          onInput: (event) => {
            thingMass.value = Number(event.currentTarget.value);
          }
        }
      ),
      /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
        thingMass.value.toFixed(1),
        " kg"
      ] })
    ] }),
    /* @__PURE__ */ a4("ul", { class: "things", children: things.rows.map(({ name, free }) => /* @__PURE__ */ a4("li", { children: [
      /* @__PURE__ */ a4("span", { children: [
        name,
        free ? "" : ", stands still"
      ] }),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-label": `Take ${name} away`,
          title: "Take it away",
          onClick: () => ask({ do: "remove-thing", name }),
          children: /* @__PURE__ */ a4(Icon, { name: "close" })
        }
      )
    ] }, name)) })
  ] });
}

// src/tools/throw.ts
var thingKind = y3("ball");
var thingSize = y3(0.2);
var thingMass = y3(3);
var thingFree = y3(true);
var SHORTEST_WAIT7 = 15;
var SPEED_OVER = 90;
var FASTEST = 6;
var FARTHEST2 = 12;
var ThrowThings = class {
  constructor(stage2) {
    this.stage = stage2;
  }
  stage;
  id = "throw";
  name = "Throw things";
  key = "H";
  icon = "ball";
  hint = "Press on the floor to put something in; drag it and let go to throw it.";
  options = ThingOptions;
  held = null;
  wear(_look) {
  }
  down(event) {
    if (this.held || !state.value?.things.met) return false;
    const pixel = pixelOf(this.stage, event);
    const direction = rayThrough(this.stage, pixel);
    const camera = this.stage.viewer.camera.position;
    const thing = this.stage.things.pick(camera, direction);
    if (thing) return this.hold(event, thing.name, thing.at);
    if (placeAt(this.stage, pixel)) return false;
    const at = this.onFloor(direction);
    if (!at) return false;
    const known2 = (state.value?.things.rows ?? []).map(({ name }) => name);
    const seq = ask({
      do: "add-thing",
      kind: thingKind.value,
      at: at.toArray(),
      size: thingSize.value,
      mass: thingFree.value ? thingMass.value : null
    });
    return this.hold(event, null, at, { known: known2, seq });
  }
  move(event) {
    const held = this.held;
    if (event.pointerId !== held?.pointer) return;
    for (const one of movesOf(event)) {
      held.at = this.under(one, held);
      held.trail.push({ at: held.at.clone(), time: one.timeStamp });
    }
    while (held.trail.length > 2 && event.timeStamp - held.trail[0].time > SPEED_OVER) held.trail.shift();
  }
  up(event) {
    if (event.pointerId === this.held?.pointer) this.held.released = speed(this.held, event.timeStamp);
    this.stage.redraw();
  }
  hover() {
  }
  update() {
    const held = this.held;
    if (!held) return;
    held.name ??= (state.value?.things.rows ?? []).find(({ name }) => !held.known.includes(name))?.name ?? null;
    this.stage.redraw();
    if (held.name === null) return;
    if (held.released) {
      const velocity = held.released.toArray();
      if (held.trail.length > 1 || held.sent > 0)
        ask({ do: "move-thing", name: held.name, at: held.at.toArray(), velocity });
      this.held = null;
    } else if (held.trail.length > 1 && performance.now() - held.sent > SHORTEST_WAIT7) {
      held.sent = performance.now();
      ask({ do: "move-thing", name: held.name, at: held.at.toArray() });
    }
  }
  hear(key) {
    if (key !== "Delete" && key !== "Backspace") return false;
    const last2 = state.value?.things.rows.at(-1);
    if (last2) ask({ do: "remove-thing", name: last2.name });
    return last2 !== void 0;
  }
  refused({ seq }) {
    if (this.held?.seq === seq) this.held = null;
  }
  lost() {
    this.held = null;
  }
  leave() {
    if (this.held) this.held.released ??= new Vector318();
    this.update();
    this.held = null;
  }
  hold(event, name, at, asked = { known: [], seq: null }) {
    const { camera } = this.stage.viewer;
    const depth = at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector318()));
    const trail = [{ at: at.clone(), time: event.timeStamp }];
    this.held = { pointer: event.pointerId, name, at, depth, trail, sent: 0, released: null, ...asked };
    return true;
  }
  /** Where the pointer is on the plane that the thing moves on, and not under the floor. */
  under(event, { depth }) {
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixelOf(this.stage, event));
    const along = depth / direction.dot(camera.getWorldDirection(new Vector318()));
    const at = camera.position.clone().addScaledVector(direction, along);
    at.y = Math.max(at.y, thingSize.value / 2);
    return at;
  }
  onFloor(direction) {
    const { camera, distance } = this.stage.viewer;
    const height2 = thingSize.value / 2;
    const along = (height2 - camera.position.y) / direction.y;
    const farthest = FARTHEST2 * (state.value?.mesh.size || 1.8);
    if (!(along > 0 && along - distance < farthest)) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }
};
function speed({ trail }, now) {
  const [first, last2] = [trail[0], trail.at(-1)];
  const seconds = (now - first.time) / 1e3;
  const way = last2.at.clone().sub(first.at);
  if (seconds < 5e-3 || now - last2.time > SPEED_OVER) return new Vector318();
  return way.divideScalar(seconds).clampLength(0, FASTEST);
}

// src/scene/drawn_line.ts
import {
  BufferAttribute as BufferAttribute7,
  BufferGeometry as BufferGeometry7,
  DynamicDrawUsage as DynamicDrawUsage5,
  Line as Line4,
  LineBasicMaterial as LineBasicMaterial6
} from "./three.js";
var DrawnLine = class {
  line;
  material;
  points;
  /** `most` places are shown. */
  constructor(scene, look2, most) {
    this.material = new LineBasicMaterial6({ color: LOOKS[look2].ring, depthTest: false, transparent: true });
    this.points = new BufferAttribute7(new Float32Array(3 * most), 3).setUsage(DynamicDrawUsage5);
    this.line = new Line4(new BufferGeometry7().setAttribute("position", this.points), this.material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 10;
    this.line.visible = false;
    scene.add(this.line);
  }
  wear(look2) {
    this.material.color.set(LOOKS[look2].ring);
  }
  show(places) {
    this.line.visible = places.length > 1;
    places.forEach(({ x: x3, y: y5, z: z3 }, i4) => {
      this.points.setXYZ(i4, x3, y5, z3);
    });
    this.points.needsUpdate = true;
    this.line.geometry.setDrawRange(0, places.length);
  }
  hide() {
    this.line.visible = false;
  }
};

// src/tools/travel.tsx
var MOST2 = 2e3;
var APART3 = 4;
var FARTHEST3 = 30;
var asDrawn = y3(false);
var TravelTool = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.line = new DrawnLine(stage2.scene, look2, MOST2);
  }
  stage;
  id = "travel";
  name = "Go along a line";
  key = "A";
  icon = "path";
  hint = "Draw a line on the floor: the character goes along it.";
  line;
  samples = [];
  wear(look2) {
    this.line.wear(look2);
  }
  down(event) {
    this.samples = [];
    return this.add(event);
  }
  move(event) {
    for (const one of movesOf(event)) this.add(one);
    this.stage.redraw();
  }
  up(_4, cancelled) {
    const { samples } = this;
    this.lost();
    if (cancelled || samples.length < 2) return;
    ask({
      do: "travel-along",
      samples: samples.map(({ at, time }) => [time - samples[0].time, at.x, at.z]),
      as_drawn: asDrawn.value
    });
    ask({ do: "seek", time: 0 });
    ask({ do: "play" });
  }
  hover() {
  }
  lost() {
    this.samples = [];
    this.line.hide();
    this.stage.redraw();
  }
  leave() {
    this.lost();
  }
  update() {
    this.line.show(this.samples.map(({ at }) => at));
  }
  options() {
    return /* @__PURE__ */ a4("label", { class: "check", title: "As fast as the hand was; else at the pace of the motion", children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": asDrawn.value,
          checked: asDrawn.value,
          onChange: (event) => {
            asDrawn.value = event.currentTarget.checked;
          }
        }
      ),
      /* @__PURE__ */ a4("span", { children: "As fast as it is drawn" })
    ] });
  }
  add(event) {
    const pixel = pixelOf(this.stage, event);
    const last2 = this.samples.at(-1);
    if (this.samples.length >= MOST2 || last2 && last2.pixel.distanceTo(pixel) < APART3) return false;
    const at = this.onFloor(pixel);
    if (!at) return false;
    this.samples.push({ at, pixel, time: event.timeStamp / 1e3 });
    return true;
  }
  onFloor(pixel) {
    const { camera, distance } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const along = -camera.position.y / direction.y;
    if (!(along > 0 && along - distance < FARTHEST3 * (state.value?.mesh.size || 1.8))) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }
};

// src/tools/wave.tsx
import { Vector3 as Vector319 } from "./three.js";

// src/ui/layers/choice.ts
var chosenKey = y3(null);
var openSheet = y3(null);
var movedKey = y3(null);
var layersWanted = y3(null);
function layersShown() {
  return layersWanted.value ?? (state.value?.edits.layers.length ?? 0) > 0;
}
function isChosen(layer, time) {
  return chosenKey.value?.layer === layer && chosenKey.value.time === time;
}
function within(time, duration) {
  return time >= 0 && time <= duration ? time : (time % duration + duration) % duration;
}
function onFrame(time) {
  const fps = state.value?.transport.fps || 60;
  return Math.round(time * fps) / fps;
}
function playhead() {
  const duration = state.value?.transport.duration;
  return onFrame(duration ? within(motionTime.value, duration) : motionTime.value);
}
function moveKey({ layer, time }, to, copy = false) {
  if (to === time) return;
  ask({ do: "change-key", layer, time, to, copy });
  chosenKey.value = { layer, time: to };
}
function deleteKey({ layer, time }) {
  ask({ do: "delete-key", layer, time });
  chosenKey.value = null;
  openSheet.value = null;
}
function addKey({ name }) {
  const time = playhead();
  ask({ do: "add-key", layer: name, time });
  chosenKey.value = { layer: name, time };
}

// src/tools/wave.tsx
var MOST3 = 400;
var APART4 = 6;
var SIZES = { height: 0.012, wavelength: 0.14, speed: 0.3, width: 0.045 };
var figures2 = y3(SIZES);
var driven = y3(false);
var every = y3(0);
var current2 = y3(null);
var sizeOfAll = O(() => state.value?.mesh.size || 1.8);
x2(() => {
  const size3 = sizeOfAll.value;
  const { height: height2, wavelength, speed: speed2, width: width2 } = SIZES;
  const rounded = (value) => Number((value * size3).toPrecision(2));
  figures2.value = {
    height: rounded(height2),
    wavelength: rounded(wavelength),
    speed: rounded(speed2),
    width: rounded(width2)
  };
});
var WaveTool = class {
  constructor(stage2, look2) {
    this.stage = stage2;
    this.line = new DrawnLine(stage2.scene, look2, MOST3);
  }
  stage;
  id = "wave";
  name = "Wave along a line";
  key = "V";
  icon = "wave";
  hint = "Draw a line on the skin: crests run along it.";
  places = [];
  last = null;
  line;
  wear(look2) {
    this.line.wear(look2);
  }
  down(event) {
    this.places = [];
    this.last = null;
    return this.add(event);
  }
  move(event) {
    for (const one of movesOf(event)) this.add(one);
  }
  up(_4, cancelled) {
    const places = this.places;
    this.places = [];
    if (cancelled || places.length < 2) return;
    current2.value = freeName("wave");
    ask({
      ...waveOf(current2.value),
      triangles: places.map(({ triangle }) => triangle),
      shares: places.flatMap(({ shares }) => shares)
    });
  }
  hover() {
  }
  lost() {
    this.places = [];
  }
  leave() {
    this.lost();
    this.line.hide();
  }
  /** The line stays on the skin while it is drawn, however that moves. */
  update() {
    const { skin: skin2 } = this.stage;
    if (!skin2) return;
    const normal = new Vector319();
    this.line.show(
      this.places.map((place) => {
        const at = new Vector319();
        skin2.surface(place, at, normal);
        return at;
      })
    );
  }
  options() {
    return /* @__PURE__ */ a4(Options2, {});
  }
  add(event) {
    const pixel = pixelOf(this.stage, event);
    if (this.places.length >= MOST3 || this.last && this.last.distanceTo(pixel) < APART4) return false;
    const place = placeAt(this.stage, pixel);
    if (!place) return false;
    this.last = pixel;
    this.places.push(place);
    return true;
  }
};
function waveOf(stroke) {
  const forces = driven.value && (state.value?.edits.firm ?? false);
  const start = forces ? playhead() : 0;
  return { do: "wave", stroke, ...figures2.value, driven: forces, start, every: every.value || null };
}
function isWave(stroke) {
  const { shapes = [], strokes: strokes2 = [] } = state.value?.edits ?? {};
  return shapes.includes(`${stroke} crest`) || strokes2.includes(stroke) && !shapes.includes(stroke);
}
function change2(what, done) {
  figures2.value = { ...figures2.value, ...what };
  const stroke = current2.value;
  if (stroke && isWave(stroke)) ask({ ...waveOf(stroke), done });
}
function Options2() {
  const { height: height2, wavelength, speed: speed2, width: width2 } = figures2.value;
  const size3 = sizeOfAll.value;
  const { strokes: strokes2 = [], firm = false } = state.value?.edits ?? {};
  const least = (value) => Math.max(1e-3, value);
  return /* @__PURE__ */ a4($, { children: [
    strokes2.length > 0 && /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: "Line" }),
      /* @__PURE__ */ a4(
        "select",
        {
          value: current2.value ?? "",
          onChange: (event) => {
            current2.value = event.currentTarget.value || null;
            if (current2.value && !isWave(current2.value)) ask(waveOf(current2.value));
          },
          children: [
            /* @__PURE__ */ a4("option", { value: "", children: "the next one drawn" }),
            strokes2.map((name) => /* @__PURE__ */ a4("option", { children: name }, name))
          ]
        }
      )
    ] }),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "wave height",
        label: "Height",
        unit: "cm",
        times: 100,
        high: 6 * size3,
        value: height2,
        change: (value, done) => change2({ height: value }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "wave length",
        label: "Length",
        unit: "cm",
        times: 100,
        low: 3 * size3,
        high: 60 * size3,
        value: wavelength,
        change: (value, done) => change2({ wavelength: least(value) }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "wave speed",
        label: "Speed",
        unit: "m/s",
        low: 0.03 * size3,
        high: 1.2 * size3,
        value: speed2,
        change: (value, done) => change2({ speed: least(value) }, done)
      }
    ),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: "wave width",
        label: "Width",
        unit: "cm",
        times: 100,
        low: 0.6 * size3,
        high: 24 * size3,
        value: width2,
        change: (value, done) => change2({ width: least(value) }, done)
      }
    ),
    firm && /* @__PURE__ */ a4("label", { class: "check", title: "Springs pass it on to the skin beside, which swings in its wake", children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": driven.value,
          checked: driven.value,
          onChange: (event) => {
            driven.value = event.currentTarget.checked;
            change2({}, true);
          }
        }
      ),
      /* @__PURE__ */ a4("span", { children: "Driven by forces" })
    ] }),
    firm && driven.value && /* @__PURE__ */ a4(
      AmountField,
      {
        name: "wave every",
        label: "Again after",
        unit: "s",
        high: 10,
        value: every.value,
        change: (value, done) => {
          every.value = Math.max(0, value);
          if (done) change2({}, true);
        }
      }
    )
  ] });
}

// src/tools/toolbox.ts
var tools = y3([]);
var chosenId = y3("drag");
var tool = O(() => tools.value.find(({ id }) => id === chosenId.value) ?? null);
function chooseTool(id) {
  if (id === chosenId.value) return;
  tool.value?.leave?.();
  chosenId.value = id;
  tool.value?.enter?.();
}
function isOffered(one) {
  return one.offered?.() ?? true;
}
x2(() => {
  const now = tool.value;
  if (now && !isOffered(now)) chooseTool("drag");
});
function makeTools(stage2, look2) {
  tools.value = [
    new DragFlesh(stage2, look2),
    new PaintMap(stage2, look2),
    new PoseJoints(stage2, look2),
    new RaiseSkin(stage2, look2),
    new RedrawOutline(stage2, look2),
    new RadialTool(stage2),
    new WaveTool(stage2, look2),
    new PoseByStrokes(stage2, look2),
    new TravelTool(stage2, look2),
    new DividerPlanes(stage2, look2),
    new LetLimp(stage2, look2),
    new ThrowThings(stage2)
  ];
  const { canvas } = stage2;
  const taken = /* @__PURE__ */ new Map();
  const capture = { capture: true };
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      activeView.value = stage2.pointAt(event).number;
      if (event.button !== 0 || event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
      const now = tool.value;
      if (!now?.down(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      taken.set(event.pointerId, now);
      stage2.redraw();
    },
    capture
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const owner = taken.get(event.pointerId);
      if (owner) {
        event.stopImmediatePropagation();
        owner.move(event);
      } else {
        if (taken.size === 0) stage2.pointAt(event);
        tool.value?.hover(event.buttons === 0 && event.pointerType !== "touch" ? event : null);
      }
      stage2.redraw();
    },
    capture
  );
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(
      end,
      (event) => {
        const owner = taken.get(event.pointerId);
        if (!owner) return;
        event.stopImmediatePropagation();
        taken.delete(event.pointerId);
        owner.up(event, end !== "pointerup");
        if (canvas.hasPointerCapture(event.pointerId)) canvas.releasePointerCapture(event.pointerId);
        stage2.redraw();
      },
      capture
    );
  }
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!tool.value?.wheel?.(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      stage2.redraw();
    },
    { capture: true, passive: false }
  );
  canvas.addEventListener("pointerleave", () => {
    tool.value?.hover(null);
    stage2.redraw();
  });
}
function updateTools() {
  tool.value?.update?.();
}
function wearTools(look2) {
  for (const one of tools.value) one.wear?.(look2);
}
function toolsRefused(refused) {
  for (const one of tools.value) one.refused?.(refused);
}
function toolsLost() {
  for (const one of tools.value) one.lost?.();
}

// src/measure.ts
var MEASURED = "#measure";
var UNDRAWN = "#measure-undrawn";
var WATCHED = 1e4;
var TIMES = 240;
var LONGEST2 = 8e3;
var STROKES = 8;
var LENGTH = 30;
var DRAGGED = 3e3;
var TWICE = 10;
var ABOVE = -0.08;
var ARM = ["LeftArm", "LeftForeArm", "LeftHand"];
var HAND = { pointerId: 77, pointerType: "mouse", bubbles: true, button: 0, isPrimary: true };
async function measure(stage2) {
  const meter = new Meter(stage2);
  await meter.until(() => state.value !== null);
  const found = {
    opened: performance.timeOrigin,
    answered: performance.timeOrigin + performance.now(),
    firstMoving: await meter.firstMoves()
  };
  const send2 = (done) => fetch("/measured", { method: "POST", body: JSON.stringify({ ...found, done }) });
  const find = async (name, figure) => {
    found[name] = await figure();
    await send2(false);
  };
  await meter.bound();
  await find("gaps", () => meter.gaps());
  found.drawn = meter.drawnRate();
  await find("behind", () => meter.dragWalking());
  await meter.said({ do: "pause" });
  await find("drag", () => meter.dragPaused());
  await find("change", () => meter.changes());
  await find("seek", () => meter.seeks());
  await find("stroke", () => meter.strokes());
  await find("knot", () => meter.knots());
  await find("steps", () => meter.steps());
  await find("pose", () => meter.poses());
  await meter.said({ do: "undo" });
  await meter.said({ do: "play" });
  await find("besideBinding", () => meter.besideBinding());
  await meter.said({ do: "start-job", kind: "bake", suffix: ".supple" });
  await find(
    "besideBake",
    () => meter.gaps(
      () => state.value.jobs.some(({ state: state2 }) => state2 === "waiting" || state2 === "running")
    )
  );
  for (const skin2 of ["linear", "delta-mush"]) await meter.said({ do: "add-view", skin: skin2 });
  await meter.bound();
  await find("compared", () => meter.gaps());
  await send2(true);
}
var Meter = class {
  constructor(stage2) {
    this.stage = stage2;
    const { sent } = this;
    const send2 = WebSocket.prototype.send;
    WebSocket.prototype.send = function(data) {
      const { do: what, seq } = JSON.parse(String(data));
      if (what !== "drawn") sent.push({ seq, at: performance.now(), hold: what === "hold" });
      send2.call(this, data);
    };
    const newest = stage2.newest.bind(stage2);
    stage2.newest = (frame2) => {
      if (frame2.view === 0) this.arrivals.push(performance.now());
      newest(frame2);
    };
    x2(() => {
      shownFrame.value;
      this.pictures++;
      const last2 = stage2.skin?.frame?.lastCommand ?? 0;
      for (const { seq, done } of this.awaited) if (seq <= last2) done(performance.now());
      this.awaited = this.awaited.filter(({ seq }) => seq > last2);
    });
    stage2.canvas.setPointerCapture = () => {
    };
    stage2.canvas.releasePointerCapture = () => {
    };
    stage2.canvas.hasPointerCapture = () => false;
  }
  stage;
  sent = [];
  arrivals = [];
  pictures = 0;
  awaited = [];
  // commands, until a picture has them
  begun = performance.now();
  /** When, by the clock of the machine [ms], a second frame was drawn in which time had gone on. */
  async firstMoves() {
    await this.until(() => this.stage.skin?.frame != null);
    const { motionTime: motionTime2 } = this.stage.skin.frame;
    await this.until(() => this.stage.skin.frame.motionTime > motionTime2);
    return performance.timeOrigin + performance.now();
  }
  /** When all skins are bound. */
  bound() {
    return this.until(() => state.value.views.every(({ preparing }) => preparing === null));
  }
  /** Between frames that arrive [ms], while something is so or else for a while. */
  async gaps(still = () => performance.now() - this.begun < WATCHED) {
    this.arrivals = [];
    this.pictures = 0;
    this.begun = performance.now();
    await this.until(() => !still());
    return this.arrivals.slice(1).map((time, i4) => time - this.arrivals[i4]);
  }
  /** Pictures drawn each second while gaps were measured. */
  drawnRate() {
    return 1e3 * this.pictures / WATCHED;
  }
  /** From a pointer that moves to a picture with its command in it [ms]; it moves before every picture. */
  async dragPaused() {
    const [x3, y5] = this.pixel();
    this.point("pointerdown", x3, y5);
    await this.until(() => this.sent.some(({ hold }) => hold));
    const taken = await this.timed((i4) => {
      this.point("pointermove", x3 + 2 * (i4 % 15), y5);
      return this.sent.at(-1).seq;
    });
    this.point("pointerup", x3, y5);
    return taken;
  }
  /** From the hand to the place that it holds, in every picture while the body walks [mm]. */
  async dragWalking() {
    const [x3, y5] = this.pixel();
    this.point("pointerdown", x3, y5);
    const drag = tools.value.find((tool2) => tool2 instanceof DragFlesh);
    const off = [];
    const start = this.stage.skin.frame.fleshTime;
    await this.until(() => {
      const { fleshTime } = this.stage.skin.frame;
      if (fleshTime > start + 0.5) off.push(1e3 * drag.farthest());
      return fleshTime > start + 2.5;
    });
    this.point("pointerup", x3, y5);
    return off;
  }
  /** From a live setting that changes to a picture with it [ms]. */
  async changes() {
    const rows = state.value.views[0].stages.at(-1).settings;
    const row = rows.find(({ name, live }) => live && name.endsWith("gravity"));
    if (!row) return [];
    const values2 = [0.5 * Number(row.value), Number(row.value)];
    return this.timed(
      (i4) => ask({ do: "change", name: row.name, value: values2[i4 % 2], done: false })
    );
  }
  /** From a time that is sought to a picture with it [ms]. */
  async seeks() {
    const duration = state.value.transport.duration ?? 1;
    return this.timed((i4) => ask({ do: "seek", time: 0.5 * duration * (1 + Math.sin(0.1 * i4)) }));
  }
  /** From a pen that is lifted to a picture with the bulge [ms]; every bulge is taken back. */
  async strokes() {
    chooseTool("raise");
    const taken = [];
    for (let i4 = 0; i4 < STROKES; i4++) {
      const [x3, y5] = this.pixel();
      this.point("pointerdown", x3, y5);
      for (let step2 = 0; step2 < LENGTH; step2++) {
        await this.nextPicture();
        this.point("pointermove", x3 + 0.3 * step2, y5 - 0.5 * step2);
      }
      const at = performance.now();
      this.point("pointerup", x3 + 0.3 * LENGTH, y5 - 0.5 * LENGTH);
      taken.push(await this.shown(this.sent.at(-1).seq) - at);
      await this.nextPicture();
      if (i4 < STROKES - 1) await this.said({ do: "undo" });
      await this.nextPicture();
    }
    chooseTool("drag");
    return taken;
  }
  /** Between frames while a knot of the last stroke is dragged to and fro [ms]. */
  async knots() {
    const stroke = state.value.edits.skin_strokes.at(-1);
    if (!stroke) return [];
    const start = performance.now();
    let moves = 0;
    const pull = (done) => ask({
      do: "move-knot",
      stroke: stroke.name,
      knot: Math.floor(stroke.triangles.length / 2),
      by: [0, 0.01 * Math.sin(0.2 * moves++), 0],
      done
    });
    const found = await this.gaps(() => {
      pull(false);
      return performance.now() - start < DRAGGED;
    });
    await this.shown(pull(true) ?? 0);
    return found;
  }
  /** Between frames while the skin is bound anew with another setting, or another skin is [ms]. */
  async besideBinding() {
    const stages = state.value.views[0].stages;
    const row = stages.at(-1).settings.find(({ name }) => name.endsWith("resolution"));
    const other = Math.round(40 + 30 * Math.random());
    if (row) ask({ do: "change", name: row.name, value: other });
    else ask({ do: "choose-skin", skin: "delta-mush" });
    await this.until(() => state.value.views[0].preparing !== null);
    const found = await this.gaps(() => state.value.views[0].preparing !== null);
    await this.said({ do: "undo" });
    await this.bound();
    return found;
  }
  /** From a step back, or again, to a picture without it, or with it [ms]. */
  async steps() {
    const taken = [];
    for (let i4 = 0; i4 < TWICE; i4++)
      for (const what of ["undo", "redo"]) {
        await this.nextPicture();
        const at = performance.now();
        taken.push(await this.said({ do: what }) - at);
      }
    return taken;
  }
  /** From a line over an arm, and another one where it is to go, to a picture of that pose [ms]; all are taken back. */
  async poses() {
    chooseTool("stroke-pose");
    await this.until(() => this.stage.joints?.frame != null);
    const { names } = this.stage.joints.skeleton;
    const places = ARM.map((name) => this.stage.joint(names.indexOf(name)));
    const taken = [];
    if (places.every((place) => place !== null)) {
      const baseline2 = places.map((place) => place.toArray());
      const time = motionTime.peek();
      for (let i4 = 0; i4 < TWICE; i4++) {
        const offset = baseline2.map(([x3, y5, z3], joint) => [x3, y5 + 0.1 * joint, z3]);
        await this.nextPicture();
        const at = performance.now();
        taken.push(await this.said({ do: "pose-by-strokes", baseline: baseline2, offset, time, radius: 0.1 }) - at);
        await this.said({ do: "undo" });
      }
    }
    chooseTool("drag");
    return taken;
  }
  /** When a picture has a command in it [ms]. */
  said(command) {
    return this.shown(ask(command) ?? 0);
  }
  /** Look before every picture, until something is true. */
  until(true_) {
    return new Promise((done) => {
      const look2 = () => {
        if (true_()) done();
        else requestAnimationFrame(look2);
      };
      look2();
    });
  }
  /** How long after each command [ms] a picture has it; browsers hand on what is pointed at once before a picture. */
  async timed(command) {
    const taken = [];
    const start = performance.now();
    for (let i4 = 0; i4 < TIMES && performance.now() - start < LONGEST2; i4++) {
      await this.nextPicture();
      const at = performance.now();
      taken.push(this.shown(command(i4) ?? 0).then((when) => when - at));
    }
    return Promise.all(taken);
  }
  shown(seq) {
    if ((this.stage.skin?.frame?.lastCommand ?? 0) >= seq) return Promise.resolve(performance.now());
    return new Promise((done) => this.awaited.push({ seq, done }));
  }
  nextPicture() {
    return new Promise((done) => requestAnimationFrame(done));
  }
  /** A pixel of the page on the skin, near the middle of the character: on its trunk, beside which limbs swing. */
  pixel() {
    const { canvas, pane, viewer } = this.stage;
    const page = canvas.getBoundingClientRect();
    const { left, top, width: width2, height: height2 } = this.stage.boxOf(pane);
    const seen = viewer.controls.target.clone().project(viewer.camera);
    const x3 = page.left + left + (1 + seen.x) / 2 * width2;
    for (let share = 0; share < 0.3; share += 0.02)
      for (const sign of [-1, 1]) {
        const y5 = page.top + top + ((1 - seen.y) / 2 + ABOVE + sign * share) * height2;
        const event = new PointerEvent("pointermove", { clientX: x3, clientY: y5 });
        if (placeAt(this.stage, pixelOf(this.stage, event))) return [x3, y5];
      }
    throw new Error("the character is not in the middle of the picture");
  }
  point(kind, clientX, clientY) {
    const buttons = kind === "pointerup" ? 0 : 1;
    this.stage.canvas.dispatchEvent(new PointerEvent(kind, { ...HAND, clientX, clientY, buttons }));
  }
};

// src/meters.ts
var engineMilliseconds = y3(0);
var viewMilliseconds = y3([]);
var framesArriving = y3(0);
var picturesDrawn = y3(0);
var silent = y3(false);
var PERIOD = 500;
var SILENCE = 3e3;
var arrived = 0;
var drawn = 0;
var views = [];
var since = performance.now();
var lastSign = performance.now();
function countArrived(view2, engineMicroseconds) {
  if (view2 === 0) arrived++;
  views[view2] ??= { count: 0, milliseconds: 0 };
  views[view2].count++;
  views[view2].milliseconds += engineMicroseconds / 1e3;
}
function beginAgain() {
  lastSign = performance.now();
  silent.value = false;
}
function countDrawn() {
  drawn++;
}
setInterval(() => {
  const now = performance.now();
  const seconds = (now - since) / 1e3;
  framesArriving.value = arrived / seconds;
  picturesDrawn.value = drawn / seconds;
  if (arrived > 0) {
    viewMilliseconds.value = Array.from(views, (view2) => view2 ? view2.milliseconds / view2.count : 0);
    engineMilliseconds.value = viewMilliseconds.value.reduce((sum, one) => sum + one, 0);
  }
  if (arrived > 0 || document.hidden) lastSign = now;
  silent.value = now - lastSign > SILENCE;
  arrived = 0;
  drawn = 0;
  views = [];
  since = now;
}, PERIOD);

// src/scene/ghosts.ts
import {
  BufferAttribute as BufferAttribute8,
  BufferGeometry as BufferGeometry8,
  Color as Color3,
  DynamicDrawUsage as DynamicDrawUsage6,
  GLSL3 as GLSL32,
  Group,
  Line as Line5,
  LineBasicMaterial as LineBasicMaterial7,
  Mesh as Mesh3,
  RawShaderMaterial as RawShaderMaterial2,
  Vector3 as Vector320
} from "./three.js";

// src/scene/ramps.ts
var RAMPS = {
  plain: ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"],
  signed: ["#542788", "#8073ac", "#b2abd2", "#d8daeb", "#f7f7f7", "#fee0b6", "#fdb863", "#e08214", "#b35806"]
};
var RAMP_COLOURS = 9;

// src/scene/shaders.ts
var UNPACK = (
  /* glsl */
  `
precision highp float;
in vec4 packed_point;
uniform vec3 low;
uniform float side;
vec3 position_of() { return low + side * packed_point.xyz; }
vec3 normal_of() {
  float bytes = floor(packed_point.w * 65535.0 + 0.5);
  vec2 e = vec2(mod(bytes, 256.0), floor(bytes / 256.0)) / 127.5 - 1.0;
  vec3 n = vec3(e, 1.0 - abs(e.x) - abs(e.y));
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x >= 0.0 ? 1.0 : -1.0, n.y >= 0.0 ? 1.0 : -1.0);
  return normalize(n);
}`
);
var SKIN_VERTEX = (
  /* glsl */
  `${UNPACK}
in float measure;
in vec4 region;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec3 cameraPosition;
out float value;
out vec3 parts;
out vec3 normal;
out vec3 to_viewer;
out float height;
void main() {
  vec3 position = position_of();
  normal = normal_of();
  to_viewer = cameraPosition - position;
  height = position.y;
  value = measure;
  parts = region.rgb;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`
);
var SKIN_FRAGMENT = (
  /* glsl */
  `
precision highp float;
in vec3 normal;
in vec3 to_viewer;
in float height;
in float value;
in vec3 parts;
uniform float measured;
uniform mat3 part_colours;
uniform vec3 ramp[${RAMP_COLOURS}];
uniform vec3 skin_colour, sky, floor_light, key_colour, fill_colour, rim_colour;
uniform vec3 key_direction;
out vec4 colour;
float wrapped(float cosine, float wrap) { return max(0.0, (cosine + wrap) / (1.0 + wrap)); }
/** The colour of a measure, with only as much shade as shows the shape, so that it can be read off. */
vec3 measure_colour(float light) {
  float at = clamp(value, 0.0, 1.0) * float(${RAMP_COLOURS - 1});
  int low = min(int(at), ${RAMP_COLOURS - 2});
  return mix(ramp[low], ramp[low + 1], at - float(low)) * mix(0.62, 1.0, clamp(light, 0.0, 1.0));
}
void main() {
  vec3 v = normalize(to_viewer);
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  vec3 light = mix(floor_light, sky, 0.5 + 0.5 * n.y);
  vec3 through = vec3(0.45, 0.22, 0.16);
  float key = dot(n, key_direction);
  light += key_colour * mix(vec3(wrapped(key, 0.0)), vec3(wrapped(key, 0.55)), through);
  vec3 left = normalize(cross(v, vec3(0.0, 1.0, 0.0)) + vec3(1e-4));
  light += fill_colour * wrapped(dot(n, normalize(0.55 * v + 0.8 * left + vec3(0.0, 0.4, 0.0))), 0.35);
  float grazing = 1.0 - max(0.0, dot(n, v));
  light *= mix(0.72, 1.0, smoothstep(-0.02, 0.35, height));
  vec3 shine = key_colour * 0.07 * pow(max(0.0, dot(n, normalize(key_direction + v))), 28.0);
  vec3 linear = skin_colour * light + rim_colour * pow(grazing, 3.0) * (0.35 + 0.65 * max(0.0, n.y)) + shine;
  linear = linear / (1.0 + 0.22 * linear);
  vec3 shown = mix(pow(linear, vec3(1.0 / 2.2)), measure_colour(dot(n, v) * 0.6 + light.g * 0.4), measured);
  float there = min(1.0, parts.r + parts.g + parts.b);
  vec3 part = part_colours * (parts / max(there, 1e-3)) * mix(0.5, 1.0, clamp(dot(n, v) * 0.6 + light.g * 0.4, 0.0, 1.0));
  colour = vec4(mix(shown, part, 0.72 * there), 1.0);
}`
);
var GHOST_FRAGMENT = (
  /* glsl */
  `
precision highp float;
in vec3 normal;
in vec3 to_viewer;
uniform vec3 colour;
uniform float opacity;
out vec4 shown;
void main() {
  float grazing = 1.0 - abs(dot(normalize(normal), normalize(to_viewer)));
  shown = vec4(pow(colour, vec3(1.0 / 2.2)), opacity * (0.35 + 0.65 * grazing * grazing));
}`
);
var SHADOW_VERTEX = (
  /* glsl */
  `${UNPACK}
uniform vec2 shadow_centre;
uniform float shadow_reach;
uniform vec3 key_direction;
out float nearness;
void main() {
  vec3 position = position_of();
  float h = max(0.0, position.y);
  vec2 place = position.xz - key_direction.xz / key_direction.y * h * 0.5;
  nearness = exp(-3.2 * h / shadow_reach);
  gl_Position = vec4((place - shadow_centre) / shadow_reach, 0.0, 1.0);
}`
);
var SHADOW_FRAGMENT = (
  /* glsl */
  `
precision highp float;
in float nearness;
out vec4 colour;
void main() { colour = vec4(nearness); }`
);
var FLOOR_VERTEX = (
  /* glsl */
  `
precision highp float;
in vec3 position;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 shadow_centre;
uniform float floor_reach;
out vec2 place;
void main() {
  place = shadow_centre + floor_reach * position.xy;
  gl_Position = projectionMatrix * viewMatrix * vec4(place.x, 0.0, place.y, 1.0);
}`
);
var FLOOR_FRAGMENT = (
  /* glsl */
  `
precision highp float;
in vec2 place;
uniform sampler2D shadow;
uniform vec2 shadow_centre;
uniform float shadow_reach, floor_reach, line_strength, shadow_strength, spacing;
uniform vec3 line_colour;
out vec4 colour;
float lines(vec2 p, float spacing) {
  vec2 width = fwidth(p / spacing);
  vec2 away = abs(fract(p / spacing - 0.5) - 0.5) / max(width, 1e-6);
  float fine = 1.0 - smoothstep(0.2, 0.6, max(width.x, width.y));
  return (1.0 - min(1.0, min(away.x, away.y))) * fine;
}
float shade(vec2 p) {
  vec2 uv = 0.5 + 0.5 * (p - shadow_centre) / shadow_reach;
  if (any(greaterThan(abs(uv - 0.5), vec2(0.46)))) return 0.0;
  float sum = 0.0;
  for (int i = 0; i < 20; i++) {
    float r = 0.026 * sqrt((float(i) + 0.5) / 20.0);
    float a = 2.39996 * float(i);
    sum += texture(shadow, uv + r * vec2(cos(a), sin(a))).r;
  }
  return sum / 20.0;
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, length(place - shadow_centre) / floor_reach);
  float grid = max(0.45 * lines(place, 0.5 * spacing), lines(place, spacing)) * line_strength * fade * fade;
  float dark = shadow_strength * shade(place);
  float alpha = dark + grid * (1.0 - dark);
  colour = vec4(pow(line_colour * grid * (1.0 - dark) / max(alpha, 1e-4), vec3(1.0 / 2.2)), alpha);
}`
);

// src/scene/ghosts.ts
var FIRST_GHOST = 16;
var STRONGEST = 0.42;
var Ghosts = class {
  constructor(look2) {
    this.look = look2;
    this.trailMaterial = new LineBasicMaterial7({ transparent: true, opacity: 0.9, depthTest: false });
    this.trail = new Line5(new BufferGeometry8(), this.trailMaterial);
    this.trail.frustumCulled = false;
    this.trail.renderOrder = 9;
    this.trail.visible = false;
    this.group.add(this.trail);
    this.wear(look2);
  }
  look;
  group = new Group();
  ghosts = /* @__PURE__ */ new Map();
  trail;
  trailMaterial;
  wanted = null;
  step = 0.1;
  // between two ghosts [s]
  mesh = null;
  setMesh(number, data) {
    this.mesh = { number, data };
    for (const view2 of [...this.ghosts.keys()]) this.forget(view2);
    this.trail.visible = false;
  }
  /** How many there are to be, and how far apart. */
  want(shown3, fps) {
    this.wanted = shown3;
    this.step = shown3.spacing / (fps || 60);
    if (!shown3.on) for (const view2 of [...this.ghosts.keys()]) this.forget(view2);
    this.trail.visible &&= shown3.on && shown3.trail !== "";
  }
  newest(frame2) {
    if (!this.wanted?.on || frame2.mesh !== this.mesh?.number) return;
    const ghost = this.ghosts.get(frame2.view) ?? this.make(frame2);
    ghost.frame = frame2;
    ghost.attribute.array = frame2.packed;
    ghost.attribute.needsUpdate = true;
    const { low, side } = ghost.mesh.material.uniforms;
    low.value.fromArray(frame2.low);
    side.value = frame2.side;
  }
  newestTrail({ places }) {
    if (!this.wanted?.on || !this.wanted.trail) return;
    this.trail.geometry.dispose();
    this.trail.geometry = new BufferGeometry8().setAttribute("position", new BufferAttribute8(places, 3));
    this.trail.visible = true;
  }
  wear(look2) {
    this.look = look2;
    this.trailMaterial.color.set(LOOKS[look2].ring);
  }
  /** Before a picture of the time: those far from it fade, and what was is blue and what comes is warm. */
  prepare(time) {
    const { before = 0, after = 0 } = this.wanted ?? {};
    for (const { mesh, frame: frame2 } of this.ghosts.values()) {
      const away = (frame2.motionTime - time) / this.step;
      const count = away < 0 ? before : after;
      mesh.visible = Math.abs(away) > 0.05 && Math.abs(away) < count + 0.8;
      const { opacity, colour: colour2 } = mesh.material.uniforms;
      opacity.value = STRONGEST * Math.max(0.3, 1 - (Math.abs(away) - 0.5) / (count + 0.5));
      colour2.value = away < 0 ? LOOKS[this.look].earlier : LOOKS[this.look].later;
      mesh.renderOrder = -Math.abs(away);
    }
  }
  make(frame2) {
    const { data } = this.mesh;
    const attribute = new BufferAttribute8(frame2.packed, 4, true).setUsage(DynamicDrawUsage6);
    const geometry = new BufferGeometry8().setAttribute("packed_point", attribute);
    geometry.setIndex(new BufferAttribute8(data.triangles, 1));
    const material = new RawShaderMaterial2({
      glslVersion: GLSL32,
      vertexShader: SKIN_VERTEX,
      fragmentShader: GHOST_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        low: { value: new Vector320() },
        side: { value: 1 },
        opacity: { value: 0 },
        colour: { value: new Color3() }
      }
    });
    const mesh = new Mesh3(geometry, material);
    mesh.frustumCulled = false;
    this.group.add(mesh);
    const ghost = { mesh, attribute, frame: frame2 };
    this.ghosts.set(frame2.view, ghost);
    return ghost;
  }
  forget(view2) {
    const ghost = this.ghosts.get(view2);
    if (!ghost) return;
    this.ghosts.delete(view2);
    this.group.remove(ghost.mesh);
    ghost.mesh.geometry.dispose();
    ghost.mesh.material.dispose();
  }
};

// src/scene/renderer.ts
import { WebGLRenderer } from "./three.js";
function rendererName() {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return null;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "unknown";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}
function isSoftware(name) {
  return /swiftshader|llvmpipe|software/i.test(name);
}
function makeRenderer(canvas, software) {
  const renderer = new WebGLRenderer({
    canvas,
    alpha: true,
    antialias: !software,
    powerPreference: "high-performance"
  });
  renderer.setPixelRatio(software ? 1 : Math.min(2, devicePixelRatio));
  renderer.setClearColor(0, 0);
  renderer.autoClear = true;
  return renderer;
}

// src/scene/stage.ts
import { Scene as Scene2, Vector3 as Vector327 } from "./three.js";

// src/scene/bones.ts
import {
  BufferAttribute as BufferAttribute9,
  BufferGeometry as BufferGeometry9,
  DynamicDrawUsage as DynamicDrawUsage7,
  Mesh as Mesh4,
  MeshBasicMaterial as MeshBasicMaterial2,
  Vector3 as Vector321
} from "./three.js";
var CORNERS4 = 6;
var FACES2 = [0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 2, 1, 3, 2, 1, 4, 3, 1, 5, 4, 1, 2, 5];
var WIDEST_AT = 0.16;
var WIDTH = 0.055;
function jointAt({ transforms }, joint, into) {
  const at = 12 * joint;
  return into.set(transforms[at + 3], transforms[at + 7], transforms[at + 11]);
}
var Bones = class {
  mesh;
  material;
  positions;
  ends;
  constructor(skeleton, look2) {
    this.ends = skeleton.parents.map((parent, joint) => [parent, joint]).filter(([parent]) => parent >= 0);
    const count = this.ends.length;
    this.positions = new BufferAttribute9(new Float32Array(3 * CORNERS4 * count), 3).setUsage(DynamicDrawUsage7);
    const geometry = new BufferGeometry9().setAttribute("position", this.positions);
    geometry.setIndex(this.ends.flatMap((_4, bone) => FACES2.map((corner) => CORNERS4 * bone + corner)));
    this.material = new MeshBasicMaterial2({ transparent: true, opacity: 0.62, depthTest: false });
    this.mesh = new Mesh4(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.wear(look2);
  }
  wear(look2) {
    this.material.color.set(LOOKS[look2].bones);
  }
  show(frame2) {
    const [from, to, along, side, up, corner] = Array.from({ length: 6 }, () => new Vector321());
    this.ends.forEach(([parent, joint], bone) => {
      jointAt(frame2, parent, from);
      along.subVectors(jointAt(frame2, joint, to), from);
      side.set(Math.abs(along.y) > 0.9 * along.length() ? 1 : 0, 0, 0);
      if (side.x === 0) side.y = 1;
      up.crossVectors(along, side).setLength(WIDTH * along.length());
      side.crossVectors(up, along).setLength(WIDTH * along.length());
      const at = CORNERS4 * bone;
      this.positions.setXYZ(at, from.x, from.y, from.z);
      this.positions.setXYZ(at + 1, to.x, to.y, to.z);
      from.addScaledVector(along, WIDEST_AT);
      [side, up, side, up].forEach((out, i4) => {
        corner.copy(from).addScaledVector(out, i4 < 2 ? 1 : -1);
        this.positions.setXYZ(at + 2 + i4, corner.x, corner.y, corner.z);
      });
    });
    this.positions.needsUpdate = true;
  }
  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
};

// src/scene/camera.ts
import { MOUSE, OrbitControls, PerspectiveCamera, TOUCH, Vector3 as Vector322 } from "./three.js";
var FIELD = 32;
var PARALLEL = 0.2;
var ROLL = Math.PI / 12;
var NEAR9 = 0.01;
var FAR = 200;
var OFF_POLE = 88e-4;
var FOLLOW_RATE = 4;
var FOLLOW_STEP = 1 / 60;
var STILL = 1e-4;
var JUMP = 0.5;
var ROOM3 = 1.14;
var TURN_TIME = 0.28;
var TURN_PICTURES = 4;
var FROM = {
  front: new Vector322(0, 0.06, 1),
  side: new Vector322(1, 0.06, 0),
  top: new Vector322(0, 1, 9e-3)
};
var Viewer = class {
  constructor(canvas, calm2) {
    this.calm = calm2;
    this.camera.position.set(1.6, 1.5, 4.2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.enableDamping = !calm2();
    this.controls.dampingFactor = 0.18;
    this.controls.minPolarAngle = OFF_POLE;
    this.controls.maxPolarAngle = Math.PI - OFF_POLE;
    this.controls.zoomSpeed = 0.9;
    this.controls.addEventListener("start", () => {
      this.turn = null;
    });
  }
  calm;
  camera = new PerspectiveCamera(FIELD, 1, 0.01, 200);
  controls;
  anchor = new Vector322();
  body = new Vector322();
  // where it was seen last
  velocity = new Vector322();
  anchored = false;
  rolled = 0;
  // clockwise, as it is seen [rad]
  free = { x: 1, y: 1 };
  // how much of the picture is, across and up, in heights of it
  depth = 1;
  // of what is looked at round its middle [m]
  turn = null;
  /** A picture of other size, of which something stands over the edges: what is looked at is in the middle between. */
  resize(width2, height2, { left, right, top }) {
    const high = Math.max(1, height2);
    this.camera.aspect = width2 / high;
    this.free = { x: Math.max(1, width2 - left - right) / high, y: Math.max(1, high - top) / high };
    if (left === right && top === 0) this.camera.clearViewOffset();
    else this.camera.setViewOffset(width2, high, (right - left) / 2, -top / 2, width2, high);
    this.camera.updateProjectionMatrix();
  }
  /** Whether rays are parallel. */
  get parallel() {
    return this.camera.fov < FIELD;
  }
  /** How far from the camera what is looked at lies [m]. */
  get distance() {
    return this.camera.position.distanceTo(this.controls.target);
  }
  /** How much farther off the camera is than one with rays that part, for a picture of the same size. */
  get farther() {
    return this.parallel ? tangent(FIELD) / tangent(PARALLEL) : 1;
  }
  /** See with parallel rays, or with rays that part; what is looked at stays as large. */
  setParallel(parallel2) {
    if (parallel2 === this.parallel) return;
    const before = this.farther;
    this.camera.fov = parallel2 ? PARALLEL : FIELD;
    const by = this.farther / before;
    this.controls.minDistance *= by;
    this.controls.maxDistance *= by;
    this.turn?.offset.multiplyScalar(by);
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(by);
    this.camera.position.copy(this.controls.target).add(offset);
  }
  /** Turn the picture by a step, 1 clockwise, -1 the other way. */
  roll(steps) {
    this.rolled += ROLL * steps;
  }
  /** Go along with the body, whose cube has its middle here; at once where it jumps.
  
     A critically damped follower with a velocity of its own, so that it does not lag behind a steady walk. Where the
     motion was stopped it comes to the body that stopped at once, and does not swing past it. */
  follow(middle, size3, seconds, stopped) {
    if (!this.anchored) this.stay(middle);
    const before = this.anchor.clone();
    if (stopped && middle.distanceTo(this.body) < STILL * size3) {
      this.velocity.set(0, 0, 0);
      this.anchor.lerp(this.body, 1 - Math.exp(-2 * FOLLOW_RATE * seconds));
    } else if (middle.distanceTo(this.anchor) < JUMP * size3) this.followEvenly(middle, seconds);
    else this.anchor.copy(middle);
    this.body.copy(middle);
    const step2 = this.anchor.clone().sub(before);
    this.camera.position.add(step2);
    this.controls.target.add(step2);
    this.turn?.target.add(step2);
  }
  /** In steps as short as a frame, between which the body goes evenly: the way is the same however often it is seen. */
  followEvenly(middle, seconds) {
    const steps = Math.ceil(seconds / FOLLOW_STEP - 1e-6);
    const dt = seconds / steps;
    for (let i4 = 1; i4 <= steps; i4++) {
      const off = this.body.clone().lerp(middle, i4 / steps).sub(this.anchor);
      this.velocity.addScaledVector(off, FOLLOW_RATE ** 2 * dt);
      this.anchor.addScaledVector(off, 2 * FOLLOW_RATE * dt).addScaledVector(this.velocity, dt);
    }
  }
  /** The body is somewhere else, and the camera stays where it is. */
  stay(middle) {
    this.anchor.copy(middle);
    this.body.copy(middle);
    this.velocity.set(0, 0, 0);
    this.anchored = true;
  }
  /** Look at a box so that it fills the picture, from where the camera is or from a named side. */
  frame(low, high, from, atOnce = false) {
    const target = low.clone().add(high).multiplyScalar(0.5);
    const direction = (from ?? this.offset()).clone().normalize();
    const half = high.clone().sub(low).multiplyScalar(0.5);
    const right = new Vector322(direction.z, 0, -direction.x).normalize();
    const up = direction.clone().cross(right);
    const along = (axis) => half.x * Math.abs(axis.x) + half.y * Math.abs(axis.y) + half.z * Math.abs(axis.z);
    const nearest = Math.max(along(up) / this.free.y, along(right) / this.free.x) / tangent(this.camera.fov);
    const distance = ROOM3 * nearest + 0.5 * along(direction);
    this.goTo(target, direction.multiplyScalar(distance), atOnce);
    this.controls.minDistance = 0.05 * half.length() * this.farther;
    this.controls.maxDistance = 30 * half.length() * this.farther;
    this.depth = half.length();
    this.rolled = 0;
  }
  view(name) {
    this.rolled = 0;
    const target = (this.turn?.target ?? this.controls.target).clone();
    this.goTo(target, FROM[name].clone().setLength(this.offset().length()), false);
  }
  /** Before every picture; says whether the camera moved. */
  update(seconds) {
    const before = this.camera.matrixWorld.clone();
    if (this.turn) this.goOn(this.turn, Math.min(seconds, TURN_TIME / TURN_PICTURES));
    this.controls.update();
    this.camera.rotateZ(this.rolled);
    this.seeAll();
    this.camera.updateMatrixWorld();
    return !this.camera.matrixWorld.equals(before);
  }
  /** Nothing that is there is too near or too far to be seen; from far away what is in front is empty. */
  seeAll() {
    const { distance } = this;
    const near = this.parallel ? Math.max(0.5 * distance, distance - 60 * this.depth) : NEAR9 * this.depth;
    const far = this.parallel ? distance + FAR * this.depth : FAR * this.depth;
    if (near === this.camera.near && far === this.camera.far) return;
    Object.assign(this.camera, { near, far });
    this.camera.updateProjectionMatrix();
  }
  /** From what is looked at to the camera, as it is or as it is about to be. */
  offset() {
    return this.turn?.offset.clone() ?? this.camera.position.clone().sub(this.controls.target);
  }
  /** Look at a place, from it plus an offset [m]. */
  goTo(target, offset, atOnce) {
    this.turn = { target, offset, left: TURN_TIME };
    if (atOnce || this.calm()) this.turn.left = 0;
  }
  goOn(turn, seconds) {
    const share = turn.left <= seconds ? 1 : 1 - (1 - seconds / turn.left) ** 3;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const length2 = offset.length() + share * (turn.offset.length() - offset.length());
    offset.normalize().lerp(turn.offset.clone().normalize(), share);
    if (offset.length() < 1e-3) offset.copy(turn.offset);
    this.controls.target.lerp(turn.target, share);
    this.camera.position.copy(this.controls.target).add(offset.setLength(length2));
    turn.left -= seconds;
    if (turn.left <= 0) this.turn = null;
  }
};
function tangent(field) {
  return Math.tan(field * Math.PI / 360);
}

// src/scene/layout.ts
var TOOLS = 56;
var SCALE = 70;
var LABEL = 38;
var LARGE2 = { width: 600, height: 460 };
var UPRIGHT = 0.6;
var grid = y3({ columns: 1, rows: 1, inset: 0, right: 0 });
var upright = y3(false);
function isTight(width2, height2) {
  return width2 < LARGE2.width || height2 < LARGE2.height;
}
function marginsFor(count, width2, height2, scale) {
  if (count > 1) return { left: 0, right: 0, top: LABEL };
  const narrow = isTight(width2, height2);
  return { left: narrow ? TOOLS : 0, right: narrow && scale ? SCALE : 0, top: 0 };
}
function gridFor(count, width2, height2, scale) {
  const inset = count > 1 ? Math.min(TOOLS, 0.2 * width2) : 0;
  const right = count > 1 && scale ? SCALE : 0;
  let best = { columns: count, rows: 1, inset, right };
  let largest = 0;
  for (let columns = count; columns >= 1; columns--) {
    const rows = Math.ceil(count / columns);
    if (Math.ceil(count / rows) < columns) continue;
    const high = height2 / rows - (count > 1 ? LABEL : 0);
    const seen = Math.min((width2 - inset - right) / columns / UPRIGHT, high);
    if (seen > 1.02 * largest) [best, largest] = [{ columns, rows, inset, right }, seen];
  }
  return best;
}

// src/scene/pane.ts
import { Group as Group2, Vector3 as Vector325 } from "./three.js";

// src/scene/arrows.ts
import {
  BufferAttribute as BufferAttribute10,
  BufferGeometry as BufferGeometry10,
  Color as Color4,
  DynamicDrawUsage as DynamicDrawUsage8,
  LineBasicMaterial as LineBasicMaterial8,
  LineSegments as LineSegments2,
  Vector3 as Vector323
} from "./three.js";
var BARB = 0.22;
var FAINT = 0.15;
var HANGS = 0.55;
var Arrows = class {
  constructor(group, look2) {
    this.group = group;
    const material = new LineBasicMaterial8({ vertexColors: true, transparent: true, depthTest: false });
    this.lines = new LineSegments2(new BufferGeometry10(), material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 8;
    this.lines.visible = false;
    group.add(this.lines);
    this.wear(look2);
  }
  group;
  lines;
  frame = null;
  colour = new Color4();
  heads = true;
  wear(look2) {
    this.colour.set(LOOKS[look2].ring);
  }
  /** Lines of the frame that is shown next; arrows have heads. */
  newest(frame2, heads) {
    [this.frame, this.heads] = [frame2, heads];
  }
  hide() {
    this.frame = null;
    this.lines.visible = false;
  }
  /** Before a picture. */
  prepare(camera) {
    this.lines.visible = this.frame !== null;
    if (!this.frame) return;
    const { places } = this.frame;
    const each = this.heads ? 6 : 2;
    const count = places.length / 6 * each;
    const [position, colour2] = this.room(count);
    const [from, to, way, side] = [new Vector323(), new Vector323(), new Vector323(), new Vector323()];
    const { r: r4, g: g5, b: b3 } = this.colour;
    for (let line = 0; line < places.length / 6; line++) {
      from.fromArray(places, 6 * line);
      to.fromArray(places, 6 * line + 3);
      const at = each * line;
      from.toArray(position.array, 3 * at);
      to.toArray(position.array, 3 * at + 3);
      colour2.setXYZW(at, r4, g5, b3, this.heads ? FAINT : HANGS);
      colour2.setXYZW(at + 1, r4, g5, b3, this.heads ? 1 : HANGS);
      if (!this.heads) continue;
      way.subVectors(to, from);
      side.subVectors(camera.position, to).cross(way).setLength(0.5 * BARB * way.length());
      way.multiplyScalar(-BARB).add(to);
      for (const sign of [1, -1]) {
        const head = at + (sign > 0 ? 2 : 4);
        to.toArray(position.array, 3 * head);
        position.setXYZ(head + 1, way.x + sign * side.x, way.y + sign * side.y, way.z + sign * side.z);
        for (const end of [head, head + 1]) colour2.setXYZW(end, r4, g5, b3, 1);
      }
    }
    position.needsUpdate = true;
    colour2.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, count);
  }
  dispose() {
    this.group.remove(this.lines);
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
  /** Attributes with room for so many ends. */
  room(count) {
    const known2 = this.lines.geometry.getAttribute("position");
    if (!known2 || known2.count < count) {
      this.lines.geometry.dispose();
      const attribute = (size3) => new BufferAttribute10(new Float32Array(size3 * count), size3).setUsage(DynamicDrawUsage8);
      this.lines.geometry = new BufferGeometry10().setAttribute("position", attribute(3)).setAttribute("color", attribute(4));
    }
    const { geometry } = this.lines;
    return [
      geometry.getAttribute("position"),
      geometry.getAttribute("color")
    ];
  }
};

// src/scene/floor.ts
import {
  GLSL3 as GLSL33,
  Mesh as Mesh5,
  OrthographicCamera,
  PlaneGeometry,
  RawShaderMaterial as RawShaderMaterial3,
  Scene,
  Vector2 as Vector28,
  WebGLRenderTarget
} from "./three.js";
var TEXELS = 256;
var MAN = 1.8;
var Floor = class {
  mesh;
  shadowUniforms = { shadow_centre: { value: new Vector28() }, shadow_reach: { value: 2 } };
  target = new WebGLRenderTarget(TEXELS, TEXELS, { depthBuffer: false });
  scene = new Scene();
  camera = new OrthographicCamera();
  material;
  constructor(look2) {
    this.material = new RawShaderMaterial3({
      glslVersion: GLSL33,
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: 2,
      uniforms: {
        ...this.shadowUniforms,
        floor_reach: { value: 8 },
        spacing: { value: 1 },
        shadow: { value: this.target.texture },
        line_colour: { value: null },
        line_strength: { value: 0 },
        shadow_strength: { value: 0 }
      }
    });
    this.mesh = new Mesh5(new PlaneGeometry(2, 2), this.material);
    this.mesh.frustumCulled = false;
    this.wear(look2);
  }
  wear(look2) {
    for (const name of ["line_colour", "line_strength", "shadow_strength"]) {
      this.material.uniforms[name].value = LOOKS[look2][name];
    }
  }
  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.target.dispose();
  }
  /** How large the character is [m]: floor and shadow reach as far as it asks. */
  fit(size3) {
    this.shadowUniforms.shadow_reach.value = 1.1 * size3;
    this.material.uniforms.floor_reach.value = 5 * size3;
    this.material.uniforms.spacing.value = 10 ** Math.round(Math.log10(size3 / MAN));
  }
  /** Draw the shadow of the skin about this place of the floor. */
  cast(renderer, skin2, x3, z3) {
    this.shadowUniforms.shadow_centre.value.set(x3, z3);
    if (skin2.shadow.parent !== this.scene) {
      this.scene.clear();
      this.scene.add(skin2.shadow);
    }
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    renderer.setRenderTarget(null);
  }
};

// src/scene/skin.ts
import {
  BufferAttribute as BufferAttribute11,
  BufferGeometry as BufferGeometry11,
  Color as Color5,
  CustomBlending,
  DynamicDrawUsage as DynamicDrawUsage9,
  GLSL3 as GLSL34,
  Matrix3,
  MaxEquation,
  Mesh as Mesh6,
  OneFactor,
  RawShaderMaterial as RawShaderMaterial4,
  Vector3 as Vector324
} from "./three.js";
var DOUBLE_SIDE = 2;
var PART_COLOURS = new Matrix3().fromArray(
  PARTS2.flatMap((hex) => new Color5(hex).convertLinearToSRGB().toArray())
);
var Skin = class {
  constructor(number, data, shadowUniforms, look2) {
    this.number = number;
    this.data = data;
    this.attribute = new BufferAttribute11(new Uint16Array(4 * data.points), 4, true).setUsage(
      DynamicDrawUsage9
    );
    this.measure = new BufferAttribute11(new Uint8Array(data.points), 1, true).setUsage(DynamicDrawUsage9);
    const geometry = new BufferGeometry11();
    geometry.setAttribute("packed_point", this.attribute);
    geometry.setAttribute("measure", this.measure);
    this.region = new BufferAttribute11(new Uint8Array(4 * data.points), 4, true).setUsage(DynamicDrawUsage9);
    geometry.setAttribute("region", this.region);
    geometry.setIndex(new BufferAttribute11(data.triangles, 1));
    this.material = new RawShaderMaterial4({
      glslVersion: GLSL34,
      vertexShader: SKIN_VERTEX,
      fragmentShader: SKIN_FRAGMENT,
      side: DOUBLE_SIDE,
      uniforms: {
        ...this.cube,
        key_direction: { value: KEY_DIRECTION },
        measured: { value: 0 },
        ramp: { value: [] },
        part_colours: { value: PART_COLOURS }
      }
    });
    const shadowMaterial = new RawShaderMaterial4({
      glslVersion: GLSL34,
      vertexShader: SHADOW_VERTEX,
      fragmentShader: SHADOW_FRAGMENT,
      side: DOUBLE_SIDE,
      depthTest: false,
      depthWrite: false,
      blending: CustomBlending,
      blendEquation: MaxEquation,
      blendSrc: OneFactor,
      blendDst: OneFactor,
      uniforms: { ...this.cube, ...shadowUniforms, key_direction: { value: KEY_DIRECTION } }
    });
    this.mesh = new Mesh6(geometry, this.material);
    this.shadow = new Mesh6(geometry, shadowMaterial);
    this.mesh.frustumCulled = false;
    this.shadow.frustumCulled = false;
    this.wear(look2);
  }
  number;
  data;
  mesh;
  shadow;
  cube = { low: { value: new Vector324() }, side: { value: 1 } };
  frame = null;
  material;
  attribute;
  measure;
  region;
  wear(look2) {
    const { skin_colour, sky, floor_light, key_colour, fill_colour, rim_colour } = LOOKS[look2];
    for (const [name, value] of Object.entries({
      skin_colour,
      sky,
      floor_light,
      key_colour,
      fill_colour,
      rim_colour
    })) {
      this.material.uniforms[name] = { value };
    }
    this.material.uniformsNeedUpdate = true;
  }
  show(frame2) {
    this.frame = frame2;
    this.attribute.array = frame2.packed;
    this.attribute.needsUpdate = true;
    this.cube.low.value.fromArray(frame2.low);
    this.cube.side.value = frame2.side;
  }
  /** Show a byte for every display point as colours, or the skin itself. */
  colour(values2) {
    this.material.uniforms.measured.value = values2 ? 1 : 0;
    if (!values2) return;
    this.measure.array = values2;
    this.measure.needsUpdate = true;
  }
  /** Colour vertices by the part of a region that they are: held, following or staying. None of them has no colour. */
  colourRegion(parts) {
    const part = new Uint8Array(this.data.jointOfVertex.length);
    parts.forEach((vertices, i4) => {
      for (const vertex of vertices) part[vertex] = i4 + 1;
    });
    const bytes = this.region.array;
    bytes.fill(0);
    this.data.vertexOfPoint.forEach((vertex, point) => {
      const one = part[vertex];
      if (one > 0) bytes[4 * point + one - 1] = 255;
    });
    this.region.needsUpdate = true;
  }
  setRamp(ramp) {
    this.material.uniforms.ramp.value = RAMPS[ramp].map((hex) => new Color5(hex).convertLinearToSRGB());
  }
  /** Where a display point is [m]. */
  point(index, into) {
    const { packed, low, side } = this.frame;
    const at = 4 * index;
    const scale = side / 65535;
    return into.set(
      low[0] + scale * packed[at],
      low[1] + scale * packed[at + 1],
      low[2] + scale * packed[at + 2]
    );
  }
  /** Where a place of the skin is, and which way it looks. */
  surface({ points, shares }, position, normal) {
    const [a5, b3, c4] = points.map((index) => this.point(index, new Vector324()));
    position.set(0, 0, 0).addScaledVector(a5, shares[0]).addScaledVector(b3, shares[1]).addScaledVector(c4, shares[2]);
    normal.crossVectors(b3.sub(a5), c4.sub(a5)).normalize();
  }
  /** The box about all points [m]. */
  bounds(low, high) {
    const point = new Vector324();
    low.setScalar(Number.POSITIVE_INFINITY);
    high.setScalar(Number.NEGATIVE_INFINITY);
    for (let i4 = 0; i4 < this.data.points; i4++) {
      this.point(i4, point);
      low.min(point);
      high.max(point);
    }
  }
  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.shadow.material.dispose();
  }
};

// src/scene/pane.ts
var Pane = class {
  constructor(number, look2, ramp) {
    this.number = number;
    this.look = look2;
    this.ramp = ramp;
    this.floor = new Floor(look2);
    this.group.add(this.floor.mesh);
    this.arrows = new Arrows(this.group, look2);
  }
  number;
  look;
  ramp;
  group = new Group2();
  skin = null;
  joints = null;
  arrows;
  floor;
  bones = null;
  waiting = null;
  colours = null;
  shadowIsOld = false;
  parts = [];
  setMesh(number, data, size3) {
    if (this.skin) this.group.remove(this.skin.mesh);
    this.skin?.dispose();
    this.skin = new Skin(number, data, this.floor.shadowUniforms, this.look);
    this.skin.mesh.visible = false;
    this.skin.setRamp(this.ramp);
    if (this.parts.length > 0) this.skin.colourRegion(this.parts);
    this.group.add(this.skin.mesh);
    this.floor.fit(size3);
    this.arrows.hide();
    this.joints = null;
  }
  setSkeleton(skeleton) {
    if (this.bones) this.group.remove(this.bones.mesh);
    this.bones?.dispose();
    this.bones = new Bones(skeleton, this.look);
    this.bones.mesh.visible = false;
    this.group.add(this.bones.mesh);
    this.joints = null;
  }
  /** The newest frame; one that was not drawn yet gives way. */
  newest(frame2) {
    this.waiting = frame2;
  }
  /** Colours for the frame of the skin that comes next. */
  newestColours(frame2) {
    this.colours = frame2;
  }
  /** Lines for the frame of the skin that comes next. */
  newestLines(frame2, heads) {
    if (frame2.mesh === this.skin?.number) this.arrows.newest(frame2, heads);
  }
  /** Give the frame that waits to the skin; whether there was one of its mesh. */
  take() {
    const frame2 = this.waiting;
    if (!frame2 || frame2.mesh !== this.skin?.number) return false;
    this.waiting = null;
    this.skin.show(frame2);
    const coloured = this.colours?.frame === frame2.frame && this.colours.values.length === this.skin.data.points;
    this.skin.colour(coloured ? this.colours.values : null);
    this.skin.mesh.visible = true;
    this.shadowIsOld = true;
    return true;
  }
  /** Bones and shadow as they are in the frame that is shown. */
  prepare(renderer, camera, bonesShown2) {
    this.arrows.prepare(camera);
    if (this.bones) {
      this.bones.mesh.visible = bonesShown2 && this.joints !== null;
      if (this.joints && bonesShown2) this.bones.show(this.joints);
    }
    if (!this.skin?.frame || !this.shadowIsOld) return;
    this.shadowIsOld = false;
    const { x: x3, z: z3 } = this.middle();
    this.floor.cast(renderer, this.skin, x3, z3);
  }
  colourRegion(parts) {
    this.parts = parts;
    this.skin?.colourRegion(parts);
  }
  setRamp(ramp) {
    this.ramp = ramp;
    this.skin?.setRamp(ramp);
  }
  wear(look2) {
    this.look = look2;
    this.bones?.wear(look2);
    this.skin?.wear(look2);
    this.floor.wear(look2);
    this.arrows.wear(look2);
  }
  /** The middle of the cube in which the skin lies [m]. */
  middle() {
    const { low, side } = this.skin.frame;
    return new Vector325(low[0] + side / 2, low[1] + side / 2, low[2] + side / 2);
  }
  dispose() {
    this.bones?.dispose();
    this.skin?.dispose();
    this.floor.dispose();
    this.arrows.dispose();
  }
};

// src/scene/picking.ts
function pick(skin2, origin, direction) {
  if (!skin2.frame) return null;
  const { packed, low, side } = skin2.frame;
  const { triangles } = skin2.data;
  const scale = 65535 / side;
  const [ox, oy, oz] = [
    (origin.x - low[0]) * scale,
    (origin.y - low[1]) * scale,
    (origin.z - low[2]) * scale
  ];
  const [dx, dy, dz] = [direction.x * scale, direction.y * scale, direction.z * scale];
  let nearest = Number.POSITIVE_INFINITY;
  let found = null;
  for (let t4 = 0; t4 < triangles.length; t4 += 3) {
    const a5 = 4 * triangles[t4];
    const b3 = 4 * triangles[t4 + 1];
    const c4 = 4 * triangles[t4 + 2];
    const ax = packed[a5];
    const ay = packed[a5 + 1];
    const az = packed[a5 + 2];
    const e1x = packed[b3] - ax;
    const e1y = packed[b3 + 1] - ay;
    const e1z = packed[b3 + 2] - az;
    const e2x = packed[c4] - ax;
    const e2y = packed[c4 + 1] - ay;
    const e2z = packed[c4 + 2] - az;
    const px = dy * e2z - dz * e2y;
    const py = dz * e2x - dx * e2z;
    const pz = dx * e2y - dy * e2x;
    const determinant = e1x * px + e1y * py + e1z * pz;
    if (determinant === 0) continue;
    const sx = ox - ax;
    const sy = oy - ay;
    const sz = oz - az;
    const u4 = (sx * px + sy * py + sz * pz) / determinant;
    if (u4 < 0 || u4 > 1) continue;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const v4 = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v4 < 0 || u4 + v4 > 1) continue;
    const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    found = { triangle: t4 / 3, points: [a5 / 4, b3 / 4, c4 / 4], shares: [Math.max(0, 1 - u4 - v4), u4, v4] };
  }
  return found;
}

// src/scene/things.ts
import {
  BoxGeometry,
  CapsuleGeometry,
  GLSL3 as GLSL35,
  Group as Group3,
  Mesh as Mesh7,
  PlaneGeometry as PlaneGeometry2,
  RawShaderMaterial as RawShaderMaterial5,
  SphereGeometry,
  Vector3 as Vector326
} from "./three.js";
var VERTEX2 = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position, normal;
out vec3 outward;
void main() {
  outward = mat3(modelMatrix) * normal;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}`;
var FRAGMENT2 = `
precision highp float;
uniform vec3 thing_colour, sky, floor_light, key_colour, key_direction;
in vec3 outward;
out vec4 colour;
void main() {
  vec3 n = normalize(outward);
  vec3 light = mix(floor_light, sky, 0.5 + 0.5 * n.y) + key_colour * max(dot(n, key_direction), 0.0);
  colour = vec4(pow(thing_colour * light, vec3(1.0 / 2.2)), 1.0);
}`;
var SHADOW_VERTEX2 = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position;
out vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position.x, 0.0, position.y, 1.0);
}`;
var SHADOW_FRAGMENT2 = `
precision highp float;
uniform float strength;
in vec2 place;
out vec4 colour;
void main() {
  float within = max(0.0, 1.0 - dot(place, place));
  colour = vec4(0.0, 0.0, 0.0, strength * within * within);
}`;
var SPREAD = 1.5;
var FADES = 2.5;
function shapeOf({ kind, size: size3 }) {
  const [first = 0.1, second = 0.1, third = 0.1] = size3;
  if (kind === "box") return new BoxGeometry(first, second, third);
  if (kind === "capsule") return new CapsuleGeometry(first, second, 8, 24);
  return new SphereGeometry(first, 32, 20);
}
var Things = class {
  group = new Group3();
  shadows = new Group3();
  darkness = 0;
  material;
  rows = [];
  constructor(look2) {
    this.material = new RawShaderMaterial5({
      glslVersion: GLSL35,
      vertexShader: VERTEX2,
      fragmentShader: FRAGMENT2,
      uniforms: { key_direction: { value: KEY_DIRECTION } }
    });
    this.wear(look2);
  }
  wear(look2) {
    const { thing_colour, sky, floor_light, key_colour, shadow_strength } = LOOKS[look2];
    this.darkness = shadow_strength;
    for (const [name, value] of Object.entries({ thing_colour, sky, floor_light, key_colour }))
      this.material.uniforms[name] = { value };
    this.material.uniformsNeedUpdate = true;
  }
  /** Other things, of which the frames to come are. */
  set(rows) {
    if (JSON.stringify(rows) === JSON.stringify(this.rows)) return;
    for (const old of [...this.group.children]) {
      old.geometry.dispose();
      this.group.remove(old);
    }
    for (const old of [...this.shadows.children]) {
      old.geometry.dispose();
      old.material.dispose();
      this.shadows.remove(old);
    }
    this.rows = rows;
    for (const row of rows) {
      const mesh = new Mesh7(shapeOf(row), this.material);
      mesh.matrixAutoUpdate = false;
      mesh.visible = false;
      this.group.add(mesh);
      this.shadows.add(newShadow());
    }
  }
  show({ transforms }) {
    if (transforms.length !== 12 * this.rows.length) return;
    this.group.children.forEach((mesh, i4) => {
      const rows = [...transforms.subarray(12 * i4, 12 * i4 + 12), 0, 0, 0, 1];
      mesh.matrix.set(...rows);
      mesh.visible = true;
      this.lay(this.shadows.children[i4], mesh, reachOf(this.rows[i4]));
    });
  }
  /** Lay a shadow under what casts it: the higher that is, the wider and the fainter. */
  lay(shadow, thing, reach2) {
    const at = new Vector326().setFromMatrixPosition(thing.matrix);
    const above = Math.max(0, at.y - reach2) / reach2;
    shadow.visible = true;
    shadow.position.set(at.x, 0, at.z);
    shadow.scale.setScalar(reach2 * (SPREAD + 0.2 * above));
    const { uniforms } = shadow.material;
    uniforms.strength.value = this.darkness * Math.exp(-above / FADES);
  }
  /** The thing that a ray meets first, by the ball about it, and where its middle is. */
  pick(from, direction) {
    let [best, nearest] = [null, Number.POSITIVE_INFINITY];
    this.group.children.forEach((mesh, i4) => {
      const row = this.rows[i4];
      const at = new Vector326().setFromMatrixPosition(mesh.matrix);
      const along = at.clone().sub(from).dot(direction);
      const off = at.clone().sub(from).addScaledVector(direction, -along).length();
      if (mesh.visible && along > 0 && along < nearest && off < reachOf(row))
        [best, nearest] = [{ name: row.name, at }, along];
    });
    return best;
  }
};
function newShadow() {
  const material = new RawShaderMaterial5({
    glslVersion: GLSL35,
    vertexShader: SHADOW_VERTEX2,
    fragmentShader: SHADOW_FRAGMENT2,
    uniforms: { strength: { value: 0 } },
    transparent: true,
    depthWrite: false,
    side: 2
  });
  const shadow = new Mesh7(new PlaneGeometry2(2, 2), material);
  shadow.visible = false;
  shadow.renderOrder = 1;
  return shadow;
}
function reachOf({ kind, size: size3 }) {
  const [first = 0.1, second = 0.1] = size3;
  if (kind === "box") return 0.75 * first;
  return kind === "capsule" ? first + second / 2 : first;
}

// src/scene/stage.ts
var LONGEST_STEP = 0.1;
var LONGEST_GAP = 1;
var SAME_SIZE = 0.01;
var FIRST_LOOK = new Vector327(0.42, 0.14, 1);
var Stage = class {
  // whether the motion stood between the last two frames that were taken
  constructor(canvas, options) {
    this.canvas = canvas;
    this.options = options;
    this.look = options.look;
    this.renderer = makeRenderer(canvas, options.software);
    this.viewer = new Viewer(canvas, options.calm);
    this.ghosts = new Ghosts(this.look);
    this.scene.add(this.ghosts.group);
    this.things = new Things(options.look);
    this.scene.add(this.things.group, this.things.shadows);
    this.pane = this.addPane();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.renderer.setAnimationLoop((now) => this.picture(now));
  }
  canvas;
  options;
  /** What is seen in every pane; what is seen in one is in that pane's group. */
  scene = new Scene2();
  viewer;
  things;
  panes = [];
  ghosts;
  /** The pane that tools work in: the one that was last pointed at. */
  pane;
  renderer;
  skeleton = null;
  mesh = null;
  bonesShown = false;
  scale = false;
  // of colours, beside the body
  ramp = "plain";
  look;
  size = 1.8;
  unsaid = [];
  dirty = true;
  framed = false;
  before = performance.now();
  gone = 0;
  // for the body since the camera last followed it [s]
  stopped = false;
  /** The skin that tools work on. */
  get skin() {
    return this.pane.skin;
  }
  /** The joints of the character that tools work on. */
  get joints() {
    return this.skeleton && { skeleton: this.skeleton, frame: this.pane.joints };
  }
  /** As many panes as there are characters to show. */
  setPanes(count) {
    if (count === this.panes.length || count < 1) return;
    while (this.panes.length < count) this.addPane();
    for (const gone of this.panes.splice(count)) {
      this.scene.remove(gone.group);
      gone.dispose();
    }
    if (!this.panes.includes(this.pane)) this.pane = this.panes.at(-1);
    this.resize();
    this.frameFrom();
  }
  /** Other triangles, of which the frames to come are. */
  setMesh(number, data, size3) {
    const again = this.mesh !== null && Math.abs(size3 / this.size - 1) < SAME_SIZE;
    this.mesh = { number, data };
    this.framed &&= again;
    this.size = size3 > 0 ? size3 : 1.8;
    for (const pane of this.panes) pane.setMesh(number, data, this.size);
    this.ghosts.setMesh(number, data);
    this.dirty = true;
  }
  /** Other joints, of which the frames to come are. */
  setSkeleton(skeleton) {
    if (JSON.stringify(skeleton) === JSON.stringify(this.skeleton)) return;
    this.skeleton = skeleton;
    for (const pane of this.panes) pane.setSkeleton(skeleton);
  }
  /** The newest frame of a view. */
  newest(frame2) {
    if (frame2.view >= FIRST_GHOST) this.ghosts.newest(frame2);
    else this.panes[frame2.view]?.newest(frame2);
    this.unsaid.push({ view: frame2.view, frame: frame2.frame });
  }
  /** Where the joints are in the frame of the skin that comes next. */
  newestJoints(frame2) {
    const pane = this.panes[frame2.view];
    const fits = frame2.transforms.length === 12 * (this.skeleton?.names.length ?? 0);
    if (pane && fits && frame2.mesh === this.mesh?.number) pane.joints = frame2;
  }
  /** Colours for the frame of the skin that comes next. */
  newestColours(frame2) {
    this.panes[frame2.view]?.newestColours(frame2);
  }
  /** Lines for the frame of the skin that comes next. */
  newestLines(frame2, heads) {
    this.panes[frame2.view]?.newestLines(frame2, heads);
  }
  /** Without lines from the skins. */
  hideLines() {
    for (const pane of this.panes) pane.arrows.hide();
    this.dirty = true;
  }
  /** Whether a scale of colours stands over the stage, for which small ones keep room. */
  keepRoom(scale) {
    if (scale === this.scale) return;
    this.scale = scale;
    this.resize();
  }
  /** Colour vertices of the skin by the part of a region that they are (`Skin.colourRegion`). */
  colourRegion(parts) {
    for (const pane of this.panes) pane.colourRegion(parts);
    this.dirty = true;
  }
  /** Which colours measures have. */
  setRamp(ramp) {
    this.ramp = ramp;
    for (const pane of this.panes) pane.setRamp(ramp);
    this.dirty = true;
  }
  /** Where a joint is [m], or null while nobody knows. */
  joint(index, into = new Vector327()) {
    return this.pane.joints && jointAt(this.pane.joints, index, into);
  }
  showBones(shown3) {
    this.bonesShown = shown3;
    this.dirty = true;
  }
  wear(look2) {
    this.look = look2;
    for (const pane of this.panes) pane.wear(look2);
    this.ghosts.wear(look2);
    this.things.wear(look2);
    this.dirty = true;
  }
  redraw() {
    this.dirty = true;
  }
  /** The place of the skin that a ray from the camera meets. */
  pick(direction) {
    return this.skin ? pick(this.skin, this.viewer.camera.position, direction) : null;
  }
  /** Where the camera is and what it looks at, both from the middle of the body [m]; null while there is none. */
  looked() {
    const middle = this.middle();
    if (!middle || !this.framed) return null;
    const { camera, controls, farther } = this.viewer;
    const offset = camera.position.clone().sub(controls.target).divideScalar(farther);
    const target = controls.target.clone().sub(middle);
    return [...offset.add(target), ...target];
  }
  /** Look from there; both places are from the middle of the body [m]. */
  lookFrom(position, target) {
    const middle = this.middle();
    if (!middle) return;
    const at = new Vector327(...target).add(middle);
    const offset = new Vector327(...position).sub(new Vector327(...target));
    this.viewer.goTo(at, offset.multiplyScalar(this.viewer.farther), true);
  }
  /** Draw once at another fineness, and as before when `seen` has looked at it. */
  drawAt(scale, seen) {
    const before = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(scale);
    this.draw();
    seen();
    this.renderer.setPixelRatio(before);
    this.dirty = true;
  }
  frameCharacter() {
    this.frameFrom();
  }
  view(name) {
    this.viewer.view(name);
  }
  /** Where a pane is on the canvas. */
  boxOf(pane) {
    const { columns, rows, inset, right } = grid.peek();
    const width2 = (this.canvas.clientWidth - inset - right) / columns;
    const height2 = this.canvas.clientHeight / rows;
    const row = Math.floor(pane.number / columns);
    return { left: inset + pane.number % columns * width2, top: row * height2, width: width2, height: height2 };
  }
  /** Let tools work in the pane that the pointer is over; it stays where it was beside all panes. */
  pointAt(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x3, y5] = [event.clientX - left, event.clientY - top];
    const over = this.panes.find((pane) => {
      const box = this.boxOf(pane);
      return x3 >= box.left && x3 < box.left + box.width && y5 >= box.top && y5 < box.top + box.height;
    });
    this.pane = over ?? this.pane;
    return this.pane;
  }
  addPane() {
    const pane = new Pane(this.panes.length, this.look, this.ramp);
    if (this.mesh) pane.setMesh(this.mesh.number, this.mesh.data, this.size);
    if (this.skeleton) pane.setSkeleton(this.skeleton);
    this.panes.push(pane);
    this.scene.add(pane.group);
    return pane;
  }
  frameFrom(from, atOnce = false) {
    const skin2 = this.panes.find((pane) => pane.skin?.frame)?.skin;
    if (!skin2) return;
    const [low, high] = [new Vector327(), new Vector327()];
    skin2.bounds(low, high);
    this.viewer.frame(low, high, from, atOnce);
  }
  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const count = this.panes.length;
    const { columns, rows, inset, right } = gridFor(count, clientWidth, clientHeight, this.scale);
    grid.value = { columns, rows, inset, right };
    upright.value = count > 1 || isTight(clientWidth, clientHeight);
    this.renderer.setSize(clientWidth, clientHeight, false);
    const margins = marginsFor(count, clientWidth, clientHeight, this.scale);
    this.viewer.resize((clientWidth - inset - right) / columns, clientHeight / rows, margins);
    this.dirty = true;
  }
  picture(now) {
    const seconds = Math.min(LONGEST_STEP, (now - this.before) / 1e3);
    this.before = now;
    const isNew = this.take();
    const moved2 = this.lookOn(seconds);
    if (!isNew && !moved2 && !this.dirty) return;
    this.dirty = false;
    this.options.beforePicture();
    if (this.options.draws) this.draw();
    const said2 = this.unsaid;
    this.unsaid = [];
    this.options.afterPicture(this.skin?.frame ?? null, said2);
  }
  draw() {
    this.ghosts.prepare(this.shown()?.motionTime ?? 0);
    for (const pane of this.panes) pane.prepare(this.renderer, this.viewer.camera, this.bonesShown);
    this.renderer.setScissorTest(true);
    for (const pane of this.panes) {
      const { left, top, width: width2, height: height2 } = this.boxOf(pane);
      const bottom = this.canvas.clientHeight - top - height2;
      this.renderer.setViewport(left, bottom, width2, height2);
      this.renderer.setScissor(left, bottom, width2, height2);
      for (const one of this.panes) one.group.visible = one === pane;
      this.renderer.render(this.scene, this.viewer.camera);
    }
    this.renderer.setScissorTest(false);
  }
  /** Give frames that wait to the skins they are of; whether there was one. */
  take() {
    if (this.canvas.clientHeight === 0) return false;
    const before = this.shown();
    const isNew = this.panes.map((pane) => pane.take()).includes(true);
    const shown3 = this.shown();
    this.gone += Math.min(LONGEST_GAP, Math.max(0, (shown3?.fleshTime ?? 0) - (before?.fleshTime ?? 0)));
    if (shown3 !== before) this.stopped = before?.motionTime === shown3?.motionTime;
    if (!isNew) this.dirty ||= this.unsaid.length > 0;
    else if (!this.framed) {
      this.frameFrom(FIRST_LOOK, true);
      this.viewer.stay(this.middle());
      this.framed = true;
    }
    return isNew;
  }
  lookOn(seconds) {
    const middle = this.middle();
    if (middle) {
      if (this.options.follows()) this.viewer.follow(middle, this.size, this.gone, this.stopped);
      else this.viewer.stay(middle);
      this.gone = 0;
    }
    return this.viewer.update(seconds);
  }
  /** The frame of the first character that is there. */
  shown() {
    return this.panes.find((pane) => pane.skin?.frame)?.skin?.frame ?? null;
  }
  /** Of the first character that is there, with which the camera goes along. */
  middle() {
    return this.panes.find((pane) => pane.skin?.frame)?.middle() ?? null;
  }
};

// src/messages.ts
var PROTOCOL = "supple-studio.1";

// src/socket.ts
var FIRST_WAIT = 250;
var LONGEST_WAIT2 = 8e3;
var Connection = class {
  constructor(address, listener) {
    this.address = address;
    this.listener = listener;
    this.connect();
  }
  address;
  listener;
  socket = null;
  seq = 0;
  wait = FIRST_WAIT;
  /** Send a command; its number, or null while there is no engine to hear it. */
  send(command) {
    if (this.socket?.readyState !== WebSocket.OPEN) return null;
    const seq = ++this.seq;
    this.socket.send(JSON.stringify({ ...command, seq }));
    return seq;
  }
  connect() {
    const socket = new WebSocket(this.address, PROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.opened();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.listener.event(JSON.parse(data));
      else this.listener.frame(data);
    };
    socket.onclose = ({ reason }) => {
      this.listener.lost(reason, this.wait);
      setTimeout(() => this.connect(), this.wait * (0.8 + 0.4 * Math.random()));
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT2);
    };
    this.socket = socket;
  }
};

// src/ui/theme.ts
var THEMES = ["system", "dark", "light"];
var KEPT_AS = "supple-theme";
var systemIsDark = matchMedia("(prefers-color-scheme: dark)");
var systemLook = y3(systemIsDark.matches ? "dark" : "light");
systemIsDark.addEventListener("change", ({ matches: matches2 }) => {
  systemLook.value = matches2 ? "dark" : "light";
});
var kept = localStorage.getItem(KEPT_AS);
var theme = y3(THEMES.find((name) => name === kept) ?? "system");
var look = O(() => theme.value === "system" ? systemLook.value : theme.value);
x2(() => {
  document.documentElement.dataset.theme = look.value;
  localStorage.setItem(KEPT_AS, theme.value);
});
function nextTheme() {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
}
var reduced = matchMedia("(prefers-reduced-motion: reduce)");
function calm() {
  return reduced.matches;
}

// src/ui/actions.ts
var SPEEDS = [-1, 0.1, 0.25, 0.5, 1, 1.5, 2, 4];
var helpOpen = y3(false);
var paletteOpen = y3(false);
var openOpen = y3(false);
var saveDialog = y3(false);
var jobsOpen = y3(false);
var documentsDialog = y3(false);
var STEP3 = 1 / 60;
var RADIUS_STEP = 1.25;
var playing = () => state.value?.transport.playing ?? false;
function setRadius(metres2) {
  const size3 = state.value?.mesh.size || 1.8;
  radius.value = Math.min(0.3 * size3, Math.max(5e-3 * size3, metres2));
}
function step(seconds) {
  if (playing()) ask({ do: "pause" });
  const { duration, loops } = state.value?.transport ?? {};
  const time = motionTime.value + seconds;
  if (!duration) ask({ do: "seek", time });
  else if (loops) ask({ do: "seek", time: (time % duration + duration) % duration });
  else ask({ do: "seek", time: Math.min(duration, Math.max(0, time)) });
}
function setSpan(start, end) {
  const { duration, span } = state.value?.transport ?? {};
  if (!duration) return;
  const from = start ?? (span && span[0] < end ? span[0] : 0);
  const to = end ?? (span && span[1] > from ? span[1] : duration);
  if (to > from) ask({ do: "loop", start: from, end: to });
}
function otherSpeed(by) {
  const rate = state.value?.transport.rate ?? 1;
  const at = SPEEDS.reduce(
    (best, speed2, i4) => Math.abs(speed2 - rate) < Math.abs(SPEEDS[best] - rate) ? i4 : best,
    0
  );
  ask({ do: "run", rate: SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))] });
}
function togglePlay() {
  const now = state.value;
  if (now && !playing() && now.transport.rate === 0) ask({ do: "run", rate: 1 });
  ask({ do: playing() ? "pause" : "play" });
}
var ACTIONS = [
  {
    id: "play",
    group: "Motion",
    name: () => playing() ? "Pause" : "Play",
    keys: ["Space"],
    icon: () => playing() ? "pause" : "play",
    run: togglePlay
  },
  {
    id: "step-back",
    group: "Motion",
    name: "Step back",
    keys: ["ArrowLeft"],
    icon: "stepBack",
    run: () => step(-STEP3)
  },
  {
    id: "step-ahead",
    group: "Motion",
    name: "Step ahead",
    keys: ["ArrowRight"],
    icon: "stepAhead",
    run: () => step(STEP3)
  },
  {
    id: "to-start",
    group: "Motion",
    name: "Go to the start",
    keys: ["Home"],
    icon: "start",
    run: () => ask({ do: "seek", time: 0 })
  },
  {
    id: "loop",
    group: "Motion",
    name: "Play a part over and over",
    keys: ["/"],
    icon: "loop",
    enabled: () => Boolean(state.value?.transport.duration),
    pressed: () => Boolean(state.value?.transport.span),
    run: () => {
      if (state.value?.transport.span) ask({ do: "unloop" });
      else setSpan(0, state.value?.transport.duration ?? 0);
    }
  },
  {
    id: "loop-start",
    group: "Motion",
    name: "The part begins here",
    keys: [","],
    run: () => setSpan(playhead(), null)
  },
  {
    id: "loop-end",
    group: "Motion",
    name: "The part ends here",
    keys: ["."],
    run: () => setSpan(null, playhead())
  },
  {
    id: "as-baked",
    group: "Motion",
    name: "Flesh as baked while the motion stands",
    keys: ["B"],
    icon: "baked",
    pressed: () => (state.value?.transport.as_baked ?? "off") !== "off",
    run: () => ask({ do: "as-baked", on: state.value?.transport.as_baked === "off" })
  },
  {
    id: "layers",
    group: "Motion",
    name: "Show layers",
    keys: ["Y"],
    icon: "layers",
    pressed: layersShown,
    run: () => {
      layersWanted.value = !layersShown();
    }
  },
  {
    id: "ghosts",
    group: "Motion",
    name: "Show ghosts before and after",
    keys: ["X"],
    icon: "ghosts",
    pressed: () => Boolean(state.value?.ghosts.on),
    run: () => ask({ do: "show-ghosts", on: !state.value?.ghosts.on })
  },
  { id: "slower", group: "Motion", name: "Slower", keys: ["ArrowDown"], run: () => otherSpeed(-1) },
  { id: "faster", group: "Motion", name: "Faster", keys: ["ArrowUp"], run: () => otherSpeed(1) },
  {
    id: "save",
    group: "Document",
    name: "Save",
    keys: ["Ctrl+S"],
    icon: "save",
    run: () => {
      if (state.value?.saving.name) ask({ do: "save" });
      else saveDialog.value = true;
    }
  },
  {
    id: "export",
    group: "Document",
    name: "Export: bakes, films and comparisons",
    keys: ["Ctrl+E"],
    icon: "export",
    run: () => {
      jobsOpen.value = !jobsOpen.value;
    }
  },
  {
    id: "picture",
    group: "View",
    name: "Save a picture",
    keys: ["F8"],
    run: (stage2) => takePicture(stage2, 1)
  },
  {
    id: "fine-picture",
    group: "View",
    name: "Save a picture, twice as fine",
    keys: ["F9"],
    run: (stage2) => takePicture(stage2, 2)
  },
  {
    id: "record",
    group: "View",
    name: () => recordedSeconds.value === null ? "Record what is seen" : "Stop recording",
    keys: ["M"],
    pressed: () => recordedSeconds.value !== null,
    run: toggleRecording
  },
  {
    id: "save-as",
    group: "Document",
    name: "Save as",
    keys: ["Ctrl+Shift+S"],
    run: () => {
      saveDialog.value = true;
    }
  },
  {
    id: "open-document",
    group: "Document",
    name: "Open a document",
    keys: ["Ctrl+Shift+O"],
    run: () => {
      documentsDialog.value = true;
    }
  },
  {
    id: "open",
    group: "Document",
    name: "Open a character or a motion",
    keys: ["Ctrl+O"],
    icon: "open",
    run: () => {
      openOpen.value = true;
    }
  },
  {
    id: "undo",
    group: "Document",
    keys: ["Ctrl+Z"],
    icon: "undo",
    name: () => state.value?.undo ? `Undo: ${state.value.undo}` : "Undo",
    enabled: () => Boolean(state.value?.undo),
    run: () => ask({ do: "undo" })
  },
  {
    id: "redo",
    group: "Document",
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    icon: "redo",
    name: () => state.value?.redo ? `Redo: ${state.value.redo}` : "Redo",
    enabled: () => Boolean(state.value?.redo),
    run: () => ask({ do: "redo" })
  },
  {
    id: "frame",
    group: "View",
    name: "Frame the character",
    keys: ["F"],
    icon: "frame",
    run: (stage2) => stage2.frameCharacter()
  },
  { id: "front", group: "View", name: "From the front", keys: ["1"], run: (stage2) => stage2.view("front") },
  { id: "side", group: "View", name: "From the side", keys: ["3"], run: (stage2) => stage2.view("side") },
  { id: "top", group: "View", name: "From the top", keys: ["7"], run: (stage2) => stage2.view("top") },
  {
    id: "parallel",
    group: "View",
    name: "Parallel rays, without perspective",
    keys: ["5"],
    icon: "box",
    pressed: () => parallel.value,
    run: () => {
      parallel.value = !parallel.value;
    }
  },
  {
    id: "roll-left",
    group: "View",
    name: "Roll to the left",
    keys: ["4"],
    run: (stage2) => stage2.viewer.roll(-1)
  },
  {
    id: "roll-right",
    group: "View",
    name: "Roll to the right",
    keys: ["6"],
    run: (stage2) => stage2.viewer.roll(1)
  },
  {
    id: "follow",
    group: "View",
    name: "Follow the character",
    keys: ["C"],
    icon: "follow",
    pressed: () => following.value,
    run: () => {
      following.value = !following.value;
    }
  },
  {
    id: "bones",
    group: "View",
    name: "Show the bones",
    keys: ["N"],
    icon: "bones",
    pressed: () => bonesShown.value,
    run: () => {
      bonesShown.value = !bonesShown.value;
    }
  },
  {
    id: "curves",
    group: "Motion",
    name: "Show curves of measures",
    keys: ["Q"],
    icon: "curves",
    pressed: () => curvesShown.value,
    run: () => {
      curvesShown.value = !curvesShown.value;
    }
  },
  {
    id: "smaller",
    group: "Hand",
    name: "Smaller hand",
    keys: ["["],
    run: () => setRadius(radius.value / RADIUS_STEP)
  },
  {
    id: "larger",
    group: "Hand",
    name: "Larger hand",
    keys: ["]"],
    run: () => setRadius(radius.value * RADIUS_STEP)
  },
  {
    id: "panel",
    group: "Window",
    name: "Show the panel",
    keys: ["P"],
    icon: "panel",
    pressed: () => panelOpen.value,
    run: () => {
      panelOpen.value = !panelOpen.value;
    }
  },
  {
    id: "theme",
    group: "Window",
    name: () => `Theme: ${theme.value}`,
    keys: ["T"],
    icon: "theme",
    run: nextTheme
  },
  {
    id: "palette",
    group: "Window",
    name: "Find an action",
    keys: ["Ctrl+K"],
    icon: "search",
    run: () => {
      paletteOpen.value = true;
    }
  },
  {
    id: "help",
    group: "Window",
    name: "Shortcuts",
    keys: ["?"],
    icon: "help",
    run: () => {
      helpOpen.value = true;
    }
  }
];
function toolActions() {
  return tools.value.filter(isOffered).map((one) => ({
    id: `tool-${one.id}`,
    group: "Tool",
    name: one.name,
    keys: [one.key],
    icon: one.icon,
    pressed: () => tool.value === one,
    run: () => chooseTool(one.id)
  }));
}
var actions = O(() => [...toolActions(), ...ACTIONS]);
function actionNamed(id) {
  return actions.value.find((action2) => action2.id === id);
}
function nameOf(action2) {
  return typeof action2.name === "function" ? action2.name() : action2.name;
}
function isEnabled(action2) {
  return action2.enabled?.() ?? true;
}

// src/ui/keys.ts
var SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
var APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);
function shownKey(key) {
  return key.split("+").map((part) => part === "Ctrl" && APPLE ? "⌘" : SHOWN[part] ?? part).join(" ");
}
function keyOf(event) {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const shift = event.shiftKey && (event.ctrlKey || event.metaKey);
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${key}`;
}
function belongsToField(event, key) {
  const target = event.target;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return /^(Arrow|Home|End|Page)/.test(key);
    if (target.type === "checkbox") return key === "Space";
    return key !== "Ctrl+K";
  }
  if (target instanceof HTMLSelectElement) return !key.startsWith("Ctrl+");
  if (target.getAttribute("role") === "slider") return /^(Arrow|Home|End|Page)/.test(key);
  return (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") && key === "Space";
}
function listenToKeys(stage2) {
  addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (event.altKey || belongsToField(event, key)) return;
    if (tool.value?.hear?.(key)) {
      event.preventDefault();
      return;
    }
    const action2 = actions.value.find(({ keys }) => keys.includes(key));
    if (!action2) return;
    event.preventDefault();
    if (isEnabled(action2) && !(event.repeat && key === "Space")) action2.run(stage2);
  });
}

// src/files.ts
var files = y3(null);
var sending = y3(null);
var waiting3 = [];
async function loadFiles() {
  const answer = await fetch("/files").catch(() => null);
  if (answer?.ok) files.value = await answer.json();
}
function openFile({ number, kind }, motion = kind === "motion") {
  ask({ do: "open-file", number, motion });
}
async function sendFiles(chosen2) {
  const idle = waiting3.length === 0 && !sending.value;
  waiting3.push(...[...chosen2].sort((a5, b3) => Number(isMotion(a5)) - Number(isMotion(b3))));
  if (!idle) return;
  if (!files.value) await loadFiles();
  for (let next = waiting3.shift(); next; next = waiting3.shift()) {
    const refused = refusal(next);
    if (refused) {
      showRefused(refused);
      continue;
    }
    const sent = await send(next);
    if (sent) openFile(sent);
  }
  void loadFiles();
}
function isMotion({ name }) {
  return name.toLowerCase().endsWith(".bvh");
}
function refusal({ name, size: bytes }) {
  const known2 = files.value;
  if (!known2) return null;
  const refused = (given, needed, advice) => ({
    event: "refused",
    seq: 0,
    where: name,
    given,
    needed,
    advice
  });
  const suffix = /\.[^.]*$/.exec(name.toLowerCase())?.[0] ?? "";
  if (!known2.suffixes.includes(suffix))
    return refused(
      suffix ? `its suffix is ${suffix}` : "it has no suffix",
      `files are ${known2.suffixes.join(", ")}`,
      "convert it to one of those"
    );
  if (bytes === 0) return refused("it is empty", "a file with something in it", "export it again");
  if (bytes > known2.largest)
    return refused(
      `it has ${size2(bytes)}`,
      `up to ${size2(known2.largest)} are taken`,
      "start supple studio with --folder to open it from there"
    );
  return null;
}
function size2(bytes) {
  const [amount, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount).toLocaleString("en")} ${unit}`;
}
function send(file) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const share = (part) => {
      sending.value = { name: file.name, share: part, stop: () => request.abort() };
    };
    request.open("POST", `/upload/either?name=${encodeURIComponent(file.name)}`);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => share(total ? loaded / total : 0);
    request.upload.onload = () => share(1);
    request.onload = () => {
      const answer = request.response;
      if (request.status === 200 && answer) resolve(answer);
      else {
        if (answer && "given" in answer) showRefused(answer);
        else showTold(`${file.name} was not taken. Open the address that the terminal shows.`);
        resolve(null);
      }
    };
    request.onerror = () => {
      showTold(`${file.name} could not be sent: the engine is out of reach, or refused it at once.`);
      resolve(null);
    };
    request.onabort = () => resolve(null);
    request.onloadend = () => {
      sending.value = null;
    };
    share(0);
    request.send(file);
  });
}

// src/ui/dialogs.tsx
function Dialog({
  open,
  label,
  children
}) {
  const dialog = T2(null);
  A2(() => {
    dialog.current?.showModal();
  }, []);
  return /* @__PURE__ */ a4(
    "dialog",
    {
      ref: dialog,
      "aria-label": label,
      onClose: () => {
        open.value = false;
      },
      onClick: (event) => {
        if (event.target === dialog.current) dialog.current?.close();
      },
      children
    }
  );
}
function Keys({ action: action2 }) {
  return /* @__PURE__ */ a4("span", { class: "keys", children: action2.keys.map((key) => /* @__PURE__ */ a4("kbd", { children: shownKey(key) }, key)) });
}
var POINTER_HELP = [
  ["Drag flesh", "drag on the skin"],
  ["Orbit", "drag beside it, or right button"],
  ["Pan", "middle button, or Shift and drag"],
  ["Zoom", "wheel, or pinch"]
];
function ShortcutSheet() {
  if (!helpOpen.value) return null;
  const groups = [...new Set(actions.value.map(({ group }) => group))];
  return /* @__PURE__ */ a4(Dialog, { open: helpOpen, label: "Shortcuts", children: /* @__PURE__ */ a4("form", { method: "dialog", class: "sheet", children: [
    /* @__PURE__ */ a4("header", { children: [
      /* @__PURE__ */ a4("h2", { children: "Shortcuts" }),
      /* @__PURE__ */ a4("button", { type: "submit", class: "button", children: "Close" })
    ] }),
    /* @__PURE__ */ a4("div", { class: "columns", children: [
      /* @__PURE__ */ a4("section", { children: [
        /* @__PURE__ */ a4("h3", { children: "Pointer" }),
        POINTER_HELP.map(([what, how]) => /* @__PURE__ */ a4("p", { class: "shortcut", children: [
          /* @__PURE__ */ a4("span", { children: what }),
          /* @__PURE__ */ a4("span", { class: "quiet", children: how })
        ] }, what))
      ] }),
      groups.map((group) => /* @__PURE__ */ a4("section", { children: [
        /* @__PURE__ */ a4("h3", { children: group }),
        actions.value.filter((action2) => action2.group === group).map((action2) => /* @__PURE__ */ a4("p", { class: "shortcut", children: [
          /* @__PURE__ */ a4("span", { children: nameOf(action2) }),
          /* @__PURE__ */ a4(Keys, { action: action2 })
        ] }, action2.id))
      ] }, group))
    ] })
  ] }) });
}
function Palette({ stage: stage2 }) {
  return paletteOpen.value ? /* @__PURE__ */ a4(OpenPalette, { stage: stage2 }) : null;
}
function OpenPalette({ stage: stage2 }) {
  const words = useSignal("");
  const at = useSignal(0);
  const wanted3 = words.value.toLowerCase().trim();
  const found = actions.value.filter(
    (action2) => isEnabled(action2) && `${action2.group} ${nameOf(action2)}`.toLowerCase().includes(wanted3)
  );
  const chosen2 = found[at.value]?.id;
  A2(() => {
    document.getElementById(`palette-${chosen2}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen2]);
  const run = (action2) => {
    paletteOpen.value = false;
    action2?.run(stage2);
  };
  const onKeyDown = (event) => {
    const step2 = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step2) at.value = (at.value + step2 + found.length) % Math.max(1, found.length);
    else if (event.key === "Enter") run(found[at.value]);
    else return;
    event.preventDefault();
  };
  return /* @__PURE__ */ a4(Dialog, { open: paletteOpen, label: "Find an action", children: /* @__PURE__ */ a4("div", { class: "palette", children: [
    /* @__PURE__ */ a4(
      "input",
      {
        type: "search",
        "aria-label": "Find an action",
        "aria-controls": "palette-list",
        "aria-activedescendant": found[at.value] ? `palette-${found[at.value].id}` : void 0,
        placeholder: "Find an action",
        value: words.value,
        onInput: (event) => {
          words.value = event.currentTarget.value;
          at.value = 0;
        },
        onKeyDown
      }
    ),
    /* @__PURE__ */ a4("div", { class: "list", id: "palette-list", role: "listbox", tabIndex: 0, "aria-label": "Actions", children: [
      found.map((action2, i4) => /* @__PURE__ */ a4(
        "div",
        {
          id: `palette-${action2.id}`,
          role: "option",
          tabIndex: -1,
          "aria-selected": i4 === at.value,
          onClick: () => run(action2),
          onPointerEnter: () => {
            at.value = i4;
          },
          children: [
            /* @__PURE__ */ a4("span", { children: nameOf(action2) }),
            /* @__PURE__ */ a4(Keys, { action: action2 })
          ]
        },
        action2.id
      )),
      found.length === 0 && /* @__PURE__ */ a4("div", { class: "quiet", children: "No action has these words." })
    ] })
  ] }) });
}

// src/ui/open.tsx
var USUAL_VERTICES = 1e4;
var dropping = y3(false);
function chooseCharacter(character) {
  const now = state.value;
  const vertices = now?.characters.includes(now.character) ? now.mesh.vertices : USUAL_VERTICES;
  ask({ do: "choose-character", character, vertices });
}
function OpenDialog() {
  return openOpen.value ? /* @__PURE__ */ a4(Opened, {}) : null;
}
function Opened() {
  const words = useSignal("");
  const picker = T2(null);
  A2(() => {
    void loadFiles();
  }, []);
  const wanted3 = words.value.toLowerCase().trim();
  const among = (name) => name.toLowerCase().includes(wanted3);
  const known2 = files.value;
  const listed = (known2?.files ?? []).filter(({ name }) => among(name));
  const builtIn = (state.value?.characters ?? []).filter(among);
  const sent = listed.filter((file) => file.sent).reverse();
  const inFolder = listed.filter((file) => !file.sent);
  const then = (act) => () => {
    openOpen.value = false;
    act();
  };
  return /* @__PURE__ */ a4(Dialog, { open: openOpen, label: "Open", children: /* @__PURE__ */ a4("div", { class: "open", role: "group", "aria-label": "Characters and files", onKeyDown: moveFocus, children: [
    /* @__PURE__ */ a4("header", { children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "search",
          "aria-label": "Find a character or a file",
          placeholder: "Find a character or a file",
          value: words.value,
          onInput: (event) => {
            words.value = event.currentTarget.value;
          }
        }
      ),
      /* @__PURE__ */ a4("button", { type: "button", class: "button chosen", onClick: () => picker.current?.click(), children: "Choose a file …" }),
      /* @__PURE__ */ a4(
        "input",
        {
          ref: picker,
          type: "file",
          hidden: true,
          multiple: true,
          accept: known2?.suffixes.join(","),
          onChange: (event) => {
            const chosen2 = [...event.currentTarget.files ?? []];
            then(() => void sendFiles(chosen2))();
          }
        }
      )
    ] }),
    /* @__PURE__ */ a4("div", { class: "entries", children: [
      builtIn.length > 0 && /* @__PURE__ */ a4("section", { "aria-label": "Built in", children: [
        /* @__PURE__ */ a4("h3", { children: "Built in" }),
        /* @__PURE__ */ a4("div", { class: "chips", children: builtIn.map((name) => /* @__PURE__ */ a4(
          "button",
          {
            type: "button",
            class: "button",
            "data-entry": true,
            onClick: then(() => chooseCharacter(name)),
            children: plainName(name)
          },
          name
        )) })
      ] }),
      /* @__PURE__ */ a4(Section, { title: "Sent from here", files: sent, then }),
      /* @__PURE__ */ a4(Section, { title: known2?.folder ?? "", files: inFolder, then }),
      known2?.folder && inFolder.length === 0 && !wanted3 && /* @__PURE__ */ a4("p", { class: "quiet pad", children: [
        "No file in ",
        known2.folder,
        " can be opened."
      ] }),
      builtIn.length + listed.length === 0 && /* @__PURE__ */ a4("p", { class: "quiet pad", children: "Nothing has these words." })
    ] }),
    /* @__PURE__ */ a4("p", { class: "quiet hint", children: "Characters: .glb, .vrm, .fbx, .usd, .obj and others. Motions: .bvh, or any of those with bones. A file can also be dropped anywhere in the window." })
  ] }) });
}
function Section({
  title,
  files: listed,
  then
}) {
  if (listed.length === 0) return null;
  return /* @__PURE__ */ a4("section", { "aria-label": title, children: [
    /* @__PURE__ */ a4("h3", { children: title }),
    listed.map((file) => /* @__PURE__ */ a4("div", { class: "entry", children: [
      /* @__PURE__ */ a4("button", { type: "button", class: "button", "data-entry": true, onClick: then(() => openFile(file)), children: [
        /* @__PURE__ */ a4("span", { class: "name", children: file.name }),
        /* @__PURE__ */ a4("span", { class: "quiet", children: file.kind === "motion" ? "motion" : size2(file.size) })
      ] }),
      file.kind === "either" && /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button small only-motion",
          title: "Take only its motion, for the character that plays",
          "aria-label": `Only the motion of ${file.name}`,
          onClick: then(() => openFile(file, true)),
          children: "Motion only"
        }
      )
    ] }, file.number))
  ] });
}
function moveFocus(event) {
  const step2 = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!step2) return;
  const root2 = event.currentTarget;
  const stops = [...root2.querySelectorAll("input[type=search], [data-entry]")];
  const here = document.activeElement;
  const at = stops.findIndex((stop) => stop === here || stop.nextElementSibling === here && here !== null);
  stops[Math.min(stops.length - 1, Math.max(0, at + step2))]?.focus();
  event.preventDefault();
}
function SendingNotice() {
  const now = sending.value;
  if (!now) return null;
  const read = now.share >= 1;
  return /* @__PURE__ */ a4("p", { class: "notice sending", children: [
    read ? /* @__PURE__ */ a4("span", { class: "spinner", "aria-hidden": "true" }) : /* @__PURE__ */ a4("progress", { value: now.share, "aria-label": "Sent" }),
    read ? `Reading ${now.name} …` : `Sending ${now.name}`,
    !read && /* @__PURE__ */ a4("button", { type: "button", class: "button small", onClick: now.stop, children: "Stop" })
  ] });
}
function DropOverlay() {
  if (!dropping.value) return null;
  return /* @__PURE__ */ a4("div", { class: "drop", "aria-hidden": "true", children: /* @__PURE__ */ a4("p", { children: "Drop to open" }) });
}
function listenToDrops() {
  let within2 = 0;
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
  const onDrag = (change4) => (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    within2 = Math.max(0, within2 + change4);
    dropping.value = within2 > 0;
  };
  addEventListener("dragenter", onDrag(1));
  addEventListener("dragleave", onDrag(-1));
  addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    within2 = 0;
    dropping.value = false;
    openOpen.value = false;
    void sendFiles(event.dataTransfer?.files ?? []);
  });
}

// src/ui/documents.tsx
function SavedMark() {
  const saving = state.value?.saving;
  if (!saving) return null;
  if (saving.name === null) {
    if (!state.value?.undo) return null;
    return /* @__PURE__ */ a4("span", { class: "saved-mark quiet wide-only", title: "Kept for the next start; Ctrl+S gives it a name", children: "not named yet" });
  }
  return /* @__PURE__ */ a4("span", { class: "saved-mark", title: `${saving.name}.supple.json in ${saving.folder}`, children: [
    /* @__PURE__ */ a4("b", { class: "wide-only", children: saving.name }),
    /* @__PURE__ */ a4("span", { class: "quiet", id: "saved", role: "status", children: saving.saved ? "saved" : "saving …" })
  ] });
}
function LeftOpenNotice() {
  return state.value?.undo ? null : /* @__PURE__ */ a4(LeftOpen, { look: "notice offer" });
}
function LeftOpen({ look: look2 }) {
  const at = state.value?.saving.left_open;
  if (!at) return null;
  return /* @__PURE__ */ a4("p", { class: look2, children: [
    /* @__PURE__ */ a4("span", { children: [
      "Something was left open at ",
      at,
      "."
    ] }),
    /* @__PURE__ */ a4("button", { type: "button", class: "button", onClick: () => ask({ do: "go-on", take: true }), children: "Go on with it" }),
    /* @__PURE__ */ a4("button", { type: "button", class: "button", onClick: () => ask({ do: "go-on", take: false }), children: "Discard" })
  ] });
}
function SaveDialog() {
  return saveDialog.value ? /* @__PURE__ */ a4(OpenSaveDialog, {}) : null;
}
function OpenSaveDialog() {
  const saving = state.value?.saving;
  const name = useSignal(saving?.name ?? "");
  const wanted3 = name.value.trim().replace(/\.supple\.json$/, "");
  const here = saving?.folder.split(/[/\\]/).at(-1);
  const taken = wanted3 !== saving?.name && (saving?.known.some((one) => one.name === wanted3 && one.folder === here) ?? false);
  const save2 = (event) => {
    event.preventDefault();
    if (!wanted3) return;
    ask({ do: "save", name: wanted3, replace: taken });
    saveDialog.value = false;
  };
  return /* @__PURE__ */ a4(Dialog, { open: saveDialog, label: "Save as", children: /* @__PURE__ */ a4("form", { class: "sheet small", onSubmit: save2, children: [
    /* @__PURE__ */ a4("header", { children: /* @__PURE__ */ a4("h2", { children: "Save as" }) }),
    /* @__PURE__ */ a4("label", { class: "field", children: [
      /* @__PURE__ */ a4("span", { children: "Name" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "text",
          maxLength: 100,
          value: name.value,
          autocomplete: "off",
          onInput: (event) => {
            name.value = event.currentTarget.value;
          }
        }
      )
    ] }),
    /* @__PURE__ */ a4("p", { class: "quiet path", children: [
      wanted3 || "name",
      ".supple.json in ",
      saving?.folder
    ] }),
    /* @__PURE__ */ a4("footer", { children: [
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          onClick: () => {
            saveDialog.value = false;
          },
          children: "Cancel"
        }
      ),
      /* @__PURE__ */ a4("button", { type: "submit", class: "button main", disabled: !wanted3, children: taken ? "Replace it" : "Save" })
    ] })
  ] }) });
}
function DocumentsDialog() {
  return documentsDialog.value ? /* @__PURE__ */ a4(OpenDocumentsDialog, {}) : null;
}
function OpenDocumentsDialog() {
  const known2 = state.value?.saving.known ?? [];
  return /* @__PURE__ */ a4(Dialog, { open: documentsDialog, label: "Open a document", children: /* @__PURE__ */ a4("form", { method: "dialog", class: "sheet small", children: [
    /* @__PURE__ */ a4("header", { children: [
      /* @__PURE__ */ a4("h2", { children: "Open a document" }),
      /* @__PURE__ */ a4("button", { type: "submit", class: "button", children: "Close" })
    ] }),
    /* @__PURE__ */ a4(LeftOpen, { look: "offer" }),
    known2.length === 0 && /* @__PURE__ */ a4("p", { class: "quiet", children: "There is no document yet: Ctrl+S saves one." }),
    /* @__PURE__ */ a4("ul", { class: "documents", children: known2.map(({ key, name, folder }) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        onClick: () => {
          ask({ do: "open-document", key });
          documentsDialog.value = false;
        },
        children: [
          /* @__PURE__ */ a4("b", { children: name }),
          " ",
          /* @__PURE__ */ a4("span", { class: "quiet", children: folder })
        ]
      }
    ) }, key)) })
  ] }) });
}

// src/ui/legend.tsx
var WEIGHT = "weight:";
function MeasureChooser() {
  const now = state.value;
  if (!now) return null;
  const { measure: measure2, measures } = now.shown;
  const isWeight = measure2?.name.startsWith(WEIGHT) ?? false;
  const show = (name) => ask({ do: "show", measure: name });
  const there = !measure2 || isWeight || measures.some(({ name }) => name === measure2.name);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("label", { class: "chooser", children: [
      /* @__PURE__ */ a4("span", { children: "Colours" }),
      /* @__PURE__ */ a4(
        "select",
        {
          value: isWeight ? WEIGHT : measure2?.name ?? "",
          title: "Show a measure on the skin",
          onChange: ({ currentTarget }) => show(currentTarget.value === WEIGHT ? `${WEIGHT}${now.skeleton.names[0]}` : currentTarget.value),
          children: [
            /* @__PURE__ */ a4("option", { value: "", children: "the skin itself" }),
            [...measures, ...there ? [] : [measure2]].map(({ name, label }) => /* @__PURE__ */ a4("option", { value: name, children: label }, name)),
            /* @__PURE__ */ a4("option", { value: WEIGHT, children: "Weights of a joint …" })
          ]
        }
      )
    ] }),
    isWeight && /* @__PURE__ */ a4("label", { class: "chooser", children: [
      /* @__PURE__ */ a4("span", { children: "Joint" }),
      /* @__PURE__ */ a4("select", { value: measure2?.name, onChange: ({ currentTarget }) => show(currentTarget.value), children: now.skeleton.names.map((name) => /* @__PURE__ */ a4("option", { value: `${WEIGHT}${name}`, children: plainName(name) }, name)) })
    ] })
  ] });
}
var LINES2 = { forces: "forces, as arrows", attachment: "what skin hangs on" };
function LinesChooser() {
  const shown3 = state.value?.shown;
  if (!shown3) return null;
  const all = shown3.lines_offered.includes(shown3.lines) ? shown3.lines_offered : [...shown3.lines_offered, shown3.lines];
  return /* @__PURE__ */ a4("label", { class: "chooser", children: [
    /* @__PURE__ */ a4("span", { children: "Lines" }),
    /* @__PURE__ */ a4(
      "select",
      {
        value: shown3.lines,
        title: "Draw lines from the skin",
        onChange: ({ currentTarget }) => ask({ do: "show", lines: currentTarget.value }),
        children: [
          /* @__PURE__ */ a4("option", { value: "", children: "none" }),
          all.filter(Boolean).map((name) => /* @__PURE__ */ a4("option", { value: name, children: LINES2[name] ?? name }, name))
        ]
      }
    )
  ] });
}
function Legend() {
  const measure2 = state.value?.shown.measure;
  const arrows = state.value?.shown.lines === "forces" && longestArrow.value > 0;
  if (!measure2 && !arrows) return null;
  return /* @__PURE__ */ a4("div", { class: `legends ${upright.value ? "upright" : ""}`, children: [
    arrows && /* @__PURE__ */ a4(
      "figure",
      {
        class: "legend arrows",
        "aria-label": `Force, ${shown(longestArrow.value)} where arrows are longest`,
        children: /* @__PURE__ */ a4("figcaption", { children: [
          "Force ",
          /* @__PURE__ */ a4("span", { class: "quiet", children: [
            "longest arrow ",
            shown(longestArrow.value)
          ] })
        ] })
      }
    ),
    measure2 && /* @__PURE__ */ a4(Ramp, { measure: measure2 })
  ] });
}
function Ramp({ measure: measure2 }) {
  const [low, high] = range.value;
  const colours = RAMPS[measure2.signed ? "signed" : "plain"].join(", ");
  return /* @__PURE__ */ a4("figure", { class: "legend", "aria-label": `${measure2.label}, ${shown(low)} to ${shown(high)} ${measure2.unit}`, children: [
    /* @__PURE__ */ a4("figcaption", { children: [
      measure2.label,
      measure2.unit && /* @__PURE__ */ a4("span", { class: "quiet", children: [
        " ",
        measure2.unit
      ] })
    ] }),
    /* @__PURE__ */ a4(
      "div",
      {
        class: "ramp",
        style: { background: `linear-gradient(to ${upright.value ? "top" : "right"}, ${colours})` }
      }
    ),
    /* @__PURE__ */ a4("div", { class: "ends quiet", children: [
      /* @__PURE__ */ a4("span", { children: shown(low) }),
      low < 0 && /* @__PURE__ */ a4("span", { children: "0" }),
      /* @__PURE__ */ a4("span", { children: shown(high) })
    ] })
  ] });
}

// src/ui/capture.tsx
var WORDS = {
  off: "Off",
  waiting: "Waiting",
  live: "Live",
  lost: "Sender stopped"
};
var ADVICE = {
  off: "Follow a performer: VSeeFace, Warudo and others send poses over the VMC protocol.",
  waiting: "Let the other program send its poses to this port.",
  lost: "The last pose is kept until it sends again."
};
function Capture() {
  const now = state.value?.capture;
  if (!now) return null;
  return /* @__PURE__ */ a4("details", { class: "capture", children: [
    /* @__PURE__ */ a4("summary", { children: [
      "Live capture",
      /* @__PURE__ */ a4("span", { class: `light ${now.light}`, role: "status", children: WORDS[now.light] ?? now.light })
    ] }),
    /* @__PURE__ */ a4("div", { class: "capture-rows", children: [
      ADVICE[now.light] && /* @__PURE__ */ a4("p", { class: "quiet", children: ADVICE[now.light] }),
      now.light === "off" ? /* @__PURE__ */ a4(Start, {}) : /* @__PURE__ */ a4(Running, { now }),
      /* @__PURE__ */ a4(Sending, { to: now.sending })
    ] })
  ] });
}
function Start() {
  const port = useSignal(39539);
  return /* @__PURE__ */ a4(
    "form",
    {
      class: "capture-line",
      onSubmit: (event) => {
        event.preventDefault();
        ask({ do: "start-capture", port: port.value });
      },
      children: [
        /* @__PURE__ */ a4("span", { class: "quiet", children: "Port" }),
        /* @__PURE__ */ a4(
          PortField,
          {
            value: port.value,
            low: 0,
            change: (typed) => {
              port.value = typed;
            }
          }
        ),
        /* @__PURE__ */ a4("button", { type: "submit", class: "button outlined", children: "Listen" })
      ]
    }
  );
}
function Running({ now }) {
  const recording = now.recorded !== null;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("dl", { class: "figures-of-line", children: [
      /* @__PURE__ */ a4(Figure, { name: "Heard on", value: `${now.host}:${now.port}` }),
      /* @__PURE__ */ a4(Figure, { name: "Delay", value: `${now.delay.toFixed(2)} s` }),
      /* @__PURE__ */ a4(Figure, { name: "Lost", value: `${now.loss.toFixed(0)} %` }),
      /* @__PURE__ */ a4(Figure, { name: "Packets", value: `${now.packets.toFixed(0)} /s` }),
      /* @__PURE__ */ a4(Figure, { name: "Joints", value: `${now.followed} follow` })
    ] }),
    /* @__PURE__ */ a4("div", { class: "button-row", children: [
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button",
          "aria-pressed": recording,
          disabled: !recording && now.light !== "live",
          onClick: () => ask({ do: recording ? "stop-recording" : "start-recording" }),
          children: recording ? `Keep ${now.recorded?.toFixed(1)} s` : "Record"
        }
      ),
      /* @__PURE__ */ a4("button", { type: "button", class: "button", onClick: () => ask({ do: "stop-capture" }), children: "Stop listening" })
    ] })
  ] });
}
function Figure({ name, value }) {
  return /* @__PURE__ */ a4("div", { children: [
    /* @__PURE__ */ a4("dt", { children: name }),
    /* @__PURE__ */ a4("dd", { children: value })
  ] });
}
function Sending({ to }) {
  const host = useSignal("127.0.0.1");
  const port = useSignal(39540);
  if (to !== null)
    return /* @__PURE__ */ a4("div", { class: "capture-line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: [
        "Sent on to ",
        to
      ] }),
      /* @__PURE__ */ a4("button", { type: "button", class: "button outlined", onClick: () => ask({ do: "stop-sending" }), children: "Stop sending" })
    ] });
  return /* @__PURE__ */ a4(
    "form",
    {
      class: "capture-line",
      title: "Every pose that is shown goes to another program, over the VMC protocol",
      onSubmit: (event) => {
        event.preventDefault();
        ask({ do: "start-sending", host: host.value.trim(), port: port.value });
      },
      children: [
        /* @__PURE__ */ a4("label", { children: [
          /* @__PURE__ */ a4("span", { children: "Send to" }),
          /* @__PURE__ */ a4(
            "input",
            {
              type: "text",
              "aria-label": "Machine to send to",
              spellcheck: false,
              maxLength: 200,
              value: host.value,
              onInput: (event) => {
                host.value = event.currentTarget.value;
              }
            }
          )
        ] }),
        /* @__PURE__ */ a4(
          PortField,
          {
            value: port.value,
            low: 1,
            change: (typed) => {
              port.value = typed;
            }
          }
        ),
        /* @__PURE__ */ a4("button", { type: "submit", class: "button outlined", children: "Send" })
      ]
    }
  );
}
function PortField({ value, low, change: change4 }) {
  return /* @__PURE__ */ a4(
    "input",
    {
      type: "number",
      "aria-label": "Port",
      min: low,
      max: 65535,
      step: 1,
      required: true,
      value,
      onInput: (event) => {
        const typed = event.currentTarget.valueAsNumber;
        if (Number.isInteger(typed)) change4(typed);
      }
    }
  );
}

// src/ui/graph.tsx
var ROW = 40;
var BOX = 28;
var WIDE = 100;
function laidOut(stages) {
  const width2 = WIDE / Math.max(1, stages.filter(({ inputs }) => inputs.length === 0).length);
  const boxes = /* @__PURE__ */ new Map();
  let lanes = 0;
  for (const one of stages) {
    const below = one.inputs.map((name) => boxes.get(name)).filter((box) => box !== void 0);
    const row = Math.max(-1, ...below.map((box) => box.row)) + 1;
    const middles = below.map((box) => box.middle);
    const middle = middles.length ? middles.reduce((sum, at) => sum + at, 0) / middles.length : (lanes++ + 0.5) * width2;
    boxes.set(one.name, { stage: one, row, middle, width: width2 });
  }
  return [...boxes.values()];
}
function GraphSection() {
  const now = state.value;
  const stages = view.value?.stages ?? [];
  if (!now || stages.length === 0) return null;
  const number = view.value?.view ?? 0;
  return /* @__PURE__ */ a4("section", { class: "graph", "aria-label": "Stages of the skin", children: [
    stages.length > 1 && /* @__PURE__ */ a4(Drawing, { stages }),
    stages.length > 1 && stage.value && /* @__PURE__ */ a4(StageActions, { chosen: stage.value, number }),
    /* @__PURE__ */ a4("div", { class: "graph-add", children: [
      /* @__PURE__ */ a4(Add, { label: "Put on top", all: now.tops, add: (skin2) => ask({ do: "put-on", skin: skin2, view: number }) }),
      /* @__PURE__ */ a4(Add, { label: "Blend with", all: now.skins, add: (skin2) => ask({ do: "blend", skin: skin2, view: number }) })
    ] })
  ] });
}
function Drawing({ stages }) {
  const boxes = laidOut(stages);
  const height2 = ROW * (1 + Math.max(...boxes.map(({ row }) => row))) - (ROW - BOX);
  return /* @__PURE__ */ a4("div", { class: "drawing", style: { height: `${height2}px` }, children: [
    /* @__PURE__ */ a4("svg", { viewBox: `0 0 ${WIDE} ${height2}`, preserveAspectRatio: "none", "aria-hidden": "true", children: boxes.flatMap(
      (box) => box.stage.inputs.map((input) => {
        const from = boxes.find(({ stage: { name } }) => name === input);
        const [top, bottom] = [ROW * from.row + BOX, ROW * box.row];
        const half = (top + bottom) / 2;
        const path = `M${from.middle} ${top} C${from.middle} ${half} ${box.middle} ${half} ${box.middle} ${bottom}`;
        return /* @__PURE__ */ a4("path", { d: path, "vector-effect": "non-scaling-stroke" }, `${input} ${box.stage.name}`);
      })
    ) }),
    boxes.map(({ stage: one, row, middle, width: width2 }) => /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: `button stage-box ${one.muted ? "muted" : ""}`,
        "aria-pressed": stage.value?.name === one.name,
        title: one.inputs.length > 0 ? `${one.name}, on ${one.inputs.join(" and ")}` : one.name,
        style: { left: `${middle - 0.46 * width2}%`, width: `${0.92 * width2}%`, top: `${ROW * row}px` },
        onClick: () => {
          activeStage.value = one.name;
          drafts.value = {};
        },
        children: /* @__PURE__ */ a4("span", { children: plainName(one.name) })
      },
      one.name
    ))
  ] });
}
function StageActions({ chosen: chosen2, number }) {
  return /* @__PURE__ */ a4("div", { class: "stage-actions", children: [
    /* @__PURE__ */ a4("span", { class: "quiet", children: plainName(chosen2.name) }),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        "aria-pressed": chosen2.muted,
        title: "Play without it; it stays here",
        onClick: () => ask({ do: "mute", stage: chosen2.name, muted: !chosen2.muted, view: number }),
        children: "Mute"
      }
    ),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button",
        "aria-label": `Take out ${plainName(chosen2.name)}`,
        title: "Take it out; what stands on it stands on what it stood on",
        onClick: () => {
          activeStage.value = null;
          ask({ do: "remove-stage", stage: chosen2.name, view: number });
        },
        children: [
          /* @__PURE__ */ a4(Icon, { name: "close" }),
          "Take out"
        ]
      }
    )
  ] });
}
function Add({ label, all, add }) {
  return /* @__PURE__ */ a4(
    "select",
    {
      "aria-label": label,
      value: "",
      onChange: ({ currentTarget }) => {
        activeStage.value = null;
        add(currentTarget.value);
        currentTarget.value = "";
      },
      children: [
        /* @__PURE__ */ a4("option", { value: "", disabled: true, children: label }),
        all.map((name) => /* @__PURE__ */ a4("option", { value: name, children: plainName(name) }, name))
      ]
    }
  );
}

// src/ui/layers/edits.tsx
function EditsSection() {
  const edits = state.value?.edits;
  if (!edits || edits.shapes.length + edits.poses.length + edits.strokes.length === 0) return null;
  const uses = [...edits.shapes, ...edits.poses];
  return /* @__PURE__ */ a4("details", { class: "edits", open: true, children: [
    /* @__PURE__ */ a4("summary", { children: [
      "Edits ",
      /* @__PURE__ */ a4("span", { class: "quiet", children: uses.length + edits.strokes.length })
    ] }),
    uses.map((name) => /* @__PURE__ */ a4(Use, { name, edits }, name)),
    edits.shapes.length > 1 && /* @__PURE__ */ a4(Merge, { shapes: edits.shapes }),
    edits.shapes.length > 0 && /* @__PURE__ */ a4(Copy, { shapes: edits.shapes }),
    edits.strokes.length > 0 && /* @__PURE__ */ a4("h3", { class: "quiet", children: "Strokes" }),
    edits.strokes.map((name) => /* @__PURE__ */ a4("div", { class: "edit", children: [
      /* @__PURE__ */ a4(Name, { name, stroke: true }),
      /* @__PURE__ */ a4(Bin, { name, stroke: true })
    ] }, `stroke ${name}`))
  ] });
}
function Merge({ shapes }) {
  return /* @__PURE__ */ a4(
    ShapeWith,
    {
      word: "Merge",
      title: "One shape of two, as much of each as there is now",
      shapes,
      first: shapes[0],
      labels: ["Shape to merge", "Shape to merge it with"],
      hint: "with …",
      others: (one) => shapes.filter((name) => name !== one),
      act: (name, other) => ask({ do: "merge", name, other })
    }
  );
}
function Copy({ shapes }) {
  return /* @__PURE__ */ a4(
    ShapeWith,
    {
      word: "Copy",
      title: "A shape of its own that does the same to another bone",
      shapes,
      first: shapes.at(-1),
      labels: ["Shape to copy", "Bone to copy it to"],
      hint: "to …",
      others: () => state.value?.skeleton.names ?? [],
      act: (shape, joint) => ask({ do: "copy-shape", shape, joint })
    }
  );
}
function ShapeWith({
  word,
  title,
  shapes,
  first,
  labels,
  hint: hint2,
  others,
  act
}) {
  const chosen2 = useSignal("");
  const one = shapes.includes(chosen2.value) ? chosen2.value : first;
  return /* @__PURE__ */ a4("div", { class: "edit merge", title, children: [
    /* @__PURE__ */ a4("span", { class: "quiet", children: word }),
    /* @__PURE__ */ a4(
      "select",
      {
        "aria-label": labels[0],
        value: one,
        onChange: (event) => {
          chosen2.value = event.currentTarget.value;
        },
        children: /* @__PURE__ */ a4(Names, { all: shapes })
      }
    ),
    /* @__PURE__ */ a4(
      "select",
      {
        "aria-label": labels[1],
        value: "",
        onChange: (event) => {
          const other = event.currentTarget.value;
          event.currentTarget.value = "";
          if (other) act(one, other);
        },
        children: [
          /* @__PURE__ */ a4("option", { value: "", children: hint2 }),
          /* @__PURE__ */ a4(Names, { all: others(one) })
        ]
      }
    )
  ] });
}
function Names({ all }) {
  return /* @__PURE__ */ a4($, { children: all.map((name) => /* @__PURE__ */ a4("option", { children: name }, name)) });
}
function Use({ name, edits }) {
  const users = edits.layers.filter(({ keys }) => keys.some(({ use }) => use === name));
  const still = users.length === 1 && users[0].keys.length === 1 ? users[0] : null;
  const draft = `use ${name}`;
  const amount = still?.amount ?? 0;
  return /* @__PURE__ */ a4("div", { class: "edit", children: [
    /* @__PURE__ */ a4(Name, { name }),
    users.length === 0 || still ? /* @__PURE__ */ a4(
      AmountField,
      {
        bare: true,
        name: draft,
        label: "Amount",
        value: amount,
        change: (value, done) => ask({ do: "set-amount", use: name, amount: value, done })
      }
    ) : /* @__PURE__ */ a4(Now, { name, users }),
    /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-label": `Key of ${name} at the playhead`,
        title: "Key at the playhead",
        onClick: () => addKeyOf(name, users),
        children: /* @__PURE__ */ a4(Icon, { name: "key" })
      }
    ),
    /* @__PURE__ */ a4(Bin, { name })
  ] });
}
function Now({ name, users }) {
  const words = useComputed(() => twoFigures(amounts.value[name] ?? 0));
  return /* @__PURE__ */ a4(
    "output",
    {
      class: "quiet keyed",
      "aria-label": `Amount of ${name} now`,
      title: `Layers say how much: ${users.map((one) => one.name).join(", ")}`,
      children: words
    }
  );
}
function addKeyOf(use, users) {
  const layer = users[0]?.name ?? "";
  layersWanted.value = true;
  ask({ do: "add-key", layer, time: playhead(), use });
}
function Name({ name, stroke = false }) {
  const typing = useSignal(false);
  if (!typing.value)
    return /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: "layer-name",
        title: `${name}: click to rename`,
        onClick: () => {
          typing.value = true;
        },
        children: name
      }
    );
  const finish = (typed) => {
    typing.value = false;
    const to = typed.trim();
    if (to && to !== name) ask({ do: "rename-edit", name, to, stroke });
  };
  return /* @__PURE__ */ a4(
    "input",
    {
      type: "text",
      "aria-label": `New name of ${name}`,
      maxLength: 200,
      spellcheck: false,
      defaultValue: name,
      ref: (field) => field?.focus(),
      onBlur: (event) => {
        if (typing.value) finish(event.currentTarget.value);
      },
      onKeyDown: (event) => {
        if (event.key === "Enter") finish(event.currentTarget.value);
        else if (event.key === "Escape") typing.value = false;
      }
    }
  );
}
function Bin({ name, stroke = false }) {
  return /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: "button small",
      "aria-label": `Delete ${name}`,
      title: stroke ? "Delete this stroke" : "Delete it, with the keys that use it",
      onClick: () => ask({ do: "delete-edit", name, stroke }),
      children: /* @__PURE__ */ a4(Icon, { name: "bin" })
    }
  );
}

// src/ui/layers/ghosts.tsx
function GhostRows() {
  const now = state.value;
  if (!now?.ghosts.on) return null;
  const { ghosts: shown3, skeleton } = now;
  const held = lastHeld.value === null ? "" : `vertex:${lastHeld.value}`;
  return /* @__PURE__ */ a4("section", { class: "ghosts", "aria-label": "Ghosts", children: [
    /* @__PURE__ */ a4("h2", { children: "Ghosts" }),
    /* @__PURE__ */ a4(Count, { label: "Before", shown: shown3, word: "before", low: 0, high: 8 }),
    /* @__PURE__ */ a4(Count, { label: "After", shown: shown3, word: "after", low: 0, high: 8 }),
    /* @__PURE__ */ a4(Count, { label: "Every", unit: "frames", shown: shown3, word: "spacing", low: 1, high: 30 }),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: "Trail" }),
      /* @__PURE__ */ a4(
        "select",
        {
          value: shown3.trail,
          onChange: (event) => ask({ do: "show-ghosts", trail: event.currentTarget.value }),
          children: [
            /* @__PURE__ */ a4("option", { value: "", children: "of nothing" }),
            held !== "" && /* @__PURE__ */ a4("option", { value: held, children: "of the place last held" }),
            skeleton.names.map((name) => /* @__PURE__ */ a4("option", { children: name }, name))
          ]
        }
      )
    ] })
  ] });
}
function Count({
  label,
  word,
  unit = "",
  shown: shown3,
  low,
  high
}) {
  return /* @__PURE__ */ a4("label", { class: "line", children: [
    /* @__PURE__ */ a4("span", { class: "quiet", children: label }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: low,
        max: high,
        step: 1,
        value: shown3[word],
        "aria-valuetext": `${shown3[word]} ${unit}`,
        onInput: (event) => ask({ do: "show-ghosts", [word]: Number(event.currentTarget.value) })
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: [
      shown3[word],
      " ",
      unit
    ] })
  ] });
}

// src/ui/panes.tsx
function Panes() {
  const views2 = state.value?.views ?? [];
  const { columns, rows, inset, right } = grid.value;
  if (views2.length < 2) return null;
  return /* @__PURE__ */ a4(
    "div",
    {
      class: "panes",
      style: { "--columns": columns, "--rows": rows, left: `${inset}px`, right: `${right}px` },
      children: views2.map(({ view: number, stages, preparing }) => /* @__PURE__ */ a4(
        "section",
        {
          class: `pane view-${number} ${view.value?.view === number ? "active" : ""}`,
          "aria-label": `View ${number + 1}`,
          children: /* @__PURE__ */ a4("div", { class: "pane-label", children: [
            /* @__PURE__ */ a4(
              "button",
              {
                type: "button",
                class: "button",
                "aria-pressed": view.value?.view === number,
                title: `${stages.map(({ name }) => plainName(name)).join(", then ")}; let the panel be of this one`,
                onClick: () => choose(number),
                children: [
                  /* @__PURE__ */ a4("i", { class: "view-dot" }),
                  /* @__PURE__ */ a4("span", { children: breakable(plainName(stages.at(-1)?.name ?? "")) })
                ]
              }
            ),
            /* @__PURE__ */ a4("span", { class: "quiet figure", children: preparing ? "binding …" : `${(viewMilliseconds.value[number] ?? 0).toFixed(1)} ms` }),
            /* @__PURE__ */ a4(
              "button",
              {
                type: "button",
                class: "button small",
                "aria-label": `Remove ${plainName(stages.at(-1)?.name ?? "")}`,
                title: "Compare with this one no longer",
                onClick: () => ask({ do: "remove-view", view: number }),
                children: /* @__PURE__ */ a4(Icon, { name: "close" })
              }
            )
          ] })
        },
        number
      ))
    }
  );
}
function choose(number) {
  activeView.value = number;
  activeStage.value = null;
  drafts.value = {};
}
function Compare({ skins, views: views2 }) {
  return /* @__PURE__ */ a4("label", { class: "chooser", children: [
    /* @__PURE__ */ a4("span", { children: "Compare" }),
    /* @__PURE__ */ a4(
      "select",
      {
        value: "",
        disabled: views2 >= 4,
        title: views2 >= 4 ? "Four are shown; remove one first" : "Show another skin beside",
        onChange: (event) => {
          ask({ do: "add-view", skin: event.currentTarget.value });
          event.currentTarget.value = "";
        },
        children: [
          /* @__PURE__ */ a4("option", { value: "", disabled: true, children: views2 >= 4 ? "four are shown" : "add a skin …" }),
          skins.map((name) => /* @__PURE__ */ a4("option", { value: name, children: plainName(name) }, name))
        ]
      }
    )
  ] });
}

// src/ui/rows.tsx
function change3(row, value, done) {
  ask({
    do: "change",
    name: row.name,
    value,
    done,
    stage: stage.value?.name ?? "",
    view: view.value?.view ?? 0
  });
}
function changing2(row, value) {
  drafts.value = { ...drafts.value, [row.name]: value };
  if (row.live) soon(`change ${row.name}`, () => change3(row, value, false));
}
function changed(row, value) {
  notSoon(`change ${row.name}`);
  drafts.value = { ...drafts.value, [row.name]: value };
  change3(row, value, true);
}
function Row({ row }) {
  const value = drafts.value[row.name] ?? row.value;
  const id = `setting-${row.name}`;
  return /* @__PURE__ */ a4("div", { class: "row", "data-setting": row.name, children: [
    /* @__PURE__ */ a4("div", { class: "row-head", children: [
      /* @__PURE__ */ a4("label", { for: id, title: hint(row), children: [
        row.label,
        row.unit && /* @__PURE__ */ a4("span", { class: "unit", children: [
          " ",
          row.unit
        ] })
      ] }),
      /* @__PURE__ */ a4(
        "span",
        {
          class: row.live ? "badge live" : "badge",
          title: row.live ? "Acts at once" : "The skin binds again, behind the one that plays",
          children: row.live ? "live" : "binds again"
        }
      ),
      row.kind === "switch" && /* @__PURE__ */ a4(Switch3, { row, value: value === true, id }),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button small reset",
          "aria-label": `Reset ${row.label} to ${row.default}`,
          title: `Reset to ${row.default}`,
          disabled: value === row.default,
          onClick: () => changed(row, row.default),
          children: /* @__PURE__ */ a4(Icon, { name: "reset" })
        }
      )
    ] }),
    row.kind !== "switch" && /* @__PURE__ */ a4(Field, { row, value, id })
  ] });
}
function hint(row) {
  const range2 = row.low !== null && row.high !== null ? `, ${row.low} to ${row.high}${row.unit && ` ${row.unit}`}` : "";
  return `${row.name}${range2}; ${row.live ? "live" : "binds again"}`;
}
function Field({ row, value, id }) {
  if (row.kind === "choice") return /* @__PURE__ */ a4(Choice2, { row, value: String(value), id });
  if (typeof value === "number") return /* @__PURE__ */ a4(Amount, { row, value, id });
  return /* @__PURE__ */ a4(Words, { row, value: String(value), id });
}
function Amount({ row, value, id }) {
  const { low, high } = row;
  const ranged2 = low !== null && high !== null && high > low;
  return /* @__PURE__ */ a4("div", { class: "amount", children: [
    ranged2 && /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        "aria-label": `${row.label}, slider`,
        "aria-valuetext": `${shown(value)} ${row.unit}`,
        min: 0,
        max: STEPS,
        step: 1,
        value: toSlider(value, low, high),
        onInput: (event) => changing2(row, fromSlider(Number(event.currentTarget.value), row)),
        onChange: (event) => changed(row, fromSlider(Number(event.currentTarget.value), row))
      }
    ),
    /* @__PURE__ */ a4(
      NumberField,
      {
        id,
        low: low ?? void 0,
        high: high ?? void 0,
        step: row.kind === "whole" ? 1 : "any",
        value: shown(value),
        set: (typed) => changed(row, row.kind === "whole" ? Math.round(typed) : typed)
      }
    )
  ] });
}
function Switch3({ row, value, id }) {
  return /* @__PURE__ */ a4(
    "input",
    {
      id,
      type: "checkbox",
      class: "switch",
      role: "switch",
      "aria-checked": value,
      checked: value,
      onChange: (event) => changed(row, event.currentTarget.checked)
    }
  );
}
function Choice2({ row, value, id }) {
  return /* @__PURE__ */ a4("select", { id, value, onChange: (event) => changed(row, event.currentTarget.value), children: row.choices.map((choice) => /* @__PURE__ */ a4("option", { value: choice, children: choice || "none" }, choice)) });
}
function Words({ row, value, id }) {
  return /* @__PURE__ */ a4(
    "input",
    {
      id,
      type: "text",
      spellcheck: false,
      value,
      onChange: (event) => changed(row, event.currentTarget.value)
    }
  );
}

// src/ui/button.tsx
function ActionButton({ id, stage: stage2, text, beside, named = false }) {
  const action2 = actionNamed(id);
  const icon = typeof action2.icon === "function" ? action2.icon() : action2.icon;
  const name = nameOf(action2);
  const keys = action2.keys.map(shownKey).join(" or ");
  return /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: "button",
      id: `action-${id}`,
      "aria-label": name,
      "aria-pressed": action2.pressed?.(),
      title: named ? void 0 : `${name} (${keys})`,
      disabled: !isEnabled(action2),
      onClick: () => action2.run(stage2),
      children: [
        icon && !text && /* @__PURE__ */ a4(Icon, { name: icon }),
        text,
        named && /* @__PURE__ */ a4("span", { class: "tool-name", "aria-hidden": "true", "data-keys": keys, children: name }),
        beside && /* @__PURE__ */ a4("span", { class: "step quiet wide-only", children: beside })
      ]
    }
  );
}

// src/ui/toolbar.tsx
var KIND = {
  drag: "touch",
  paint: "touch",
  raise: "shape",
  outline: "shape",
  radial: "shape",
  wave: "shape",
  pose: "pose",
  "stroke-pose": "pose",
  planes: "pose",
  travel: "pose",
  limp: "world",
  throw: "world"
};
function Toolbar({ stage: stage2 }) {
  const groups = /* @__PURE__ */ new Map([
    ["touch", []],
    ["shape", []],
    ["pose", []],
    ["world", []]
  ]);
  for (const one of tools.value.filter(isOffered)) groups.get(KIND[one.id]).push(one);
  return /* @__PURE__ */ a4("div", { class: "toolbar", role: "toolbar", "aria-label": "Tools", "aria-orientation": "vertical", children: [...groups.values()].flatMap(
    (members) => members.map(({ id }, i4) => /* @__PURE__ */ a4("span", { class: i4 === 0 ? "first" : "", children: /* @__PURE__ */ a4(ActionButton, { id: `tool-${id}`, stage: stage2, named: true }) }, id))
  ) });
}
function ToolOptions() {
  const now = tool.value;
  const section = T2(null);
  const shown3 = T2(now);
  F2(() => {
    if (shown3.current !== now) section.current?.closest(".panel")?.scrollTo({ top: 0 });
    shown3.current = now;
  }, [now]);
  if (!now) return null;
  return /* @__PURE__ */ a4("section", { class: "tool-options", ref: section, "aria-label": now.name, children: [
    /* @__PURE__ */ a4("h2", { children: now.name }),
    /* @__PURE__ */ a4("p", { class: "quiet", children: now.hint }),
    now.options?.()
  ] });
}

// src/ui/panel.tsx
function Panel() {
  const now = state.value;
  return /* @__PURE__ */ a4("aside", { class: "panel", "aria-label": "Settings", children: now ? /* @__PURE__ */ a4(Filled, { now }) : /* @__PURE__ */ a4("p", { class: "quiet pad", children: failure.value ? "" : "Waiting for the engine …" }) });
}
function Filled({ now }) {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(ToolOptions, {}),
    /* @__PURE__ */ a4("section", { class: "choices", "aria-label": "Skin and motion", children: [
      /* @__PURE__ */ a4(
        Chooser,
        {
          label: "Skin",
          value: skin.value,
          all: now.skins,
          choose: (name) => ask({ do: "choose-skin", skin: name, view: view.value?.view ?? 0 })
        }
      ),
      SKIN_WORDS[skin.value] && /* @__PURE__ */ a4("p", { class: "quiet note", children: SKIN_WORDS[skin.value] }),
      /* @__PURE__ */ a4(Compare, { skins: now.skins, views: now.views.length }),
      now.capture && now.capture.light !== "off" ? /* @__PURE__ */ a4("p", { class: "chooser", children: [
        /* @__PURE__ */ a4("span", { children: "Motion" }),
        /* @__PURE__ */ a4("span", { children: "Live capture" })
      ] }) : /* @__PURE__ */ a4(
        Chooser,
        {
          label: "Motion",
          value: now.transport.motion,
          all: now.motions,
          choose: (motion) => ask({ do: "choose-motion", motion })
        }
      ),
      /* @__PURE__ */ a4(MeasureChooser, {}),
      /* @__PURE__ */ a4(LinesChooser, {}),
      /* @__PURE__ */ a4(HandRadius, { size: now.mesh.size || 1.8 })
    ] }),
    /* @__PURE__ */ a4(GhostRows, {}),
    /* @__PURE__ */ a4(EditsSection, {}),
    /* @__PURE__ */ a4(Capture, {}),
    /* @__PURE__ */ a4(GraphSection, {}),
    /* @__PURE__ */ a4(Settings, { rows: stage.value?.settings ?? [] })
  ] });
}
function Chooser({
  label,
  value,
  all,
  choose: choose2
}) {
  const names = all.includes(value) ? all : [value, ...all];
  return /* @__PURE__ */ a4("label", { class: "chooser", children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("select", { value, onChange: (event) => choose2(event.currentTarget.value), children: names.map((name) => /* @__PURE__ */ a4("option", { value: name, children: plainName(name) }, name)) })
  ] });
}
function HandRadius({ size: size3 }) {
  return /* @__PURE__ */ a4("label", { class: "chooser", title: "How far a hand reaches ([ and ])", children: [
    /* @__PURE__ */ a4("span", { children: "Hand" }),
    /* @__PURE__ */ a4(
      "input",
      {
        type: "range",
        min: 5e-3 * size3,
        max: 0.3 * size3,
        step: 1e-3 * size3,
        value: radius.value,
        "aria-valuetext": length(radius.value),
        onInput: (event) => setRadius(Number(event.currentTarget.value))
      }
    ),
    /* @__PURE__ */ a4("span", { class: "quiet figure", children: length(radius.value) })
  ] });
}
function grouped(rows) {
  const groups = /* @__PURE__ */ new Map([["", []]]);
  for (const row of rows) {
    const dot = row.name.indexOf(".");
    const group = dot < 0 ? "" : row.name.slice(0, dot);
    groups.set(group, [...groups.get(group) ?? [], row]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}
function Settings({ rows }) {
  const words = useSignal("");
  const wanted3 = words.value.toLowerCase().trim();
  const found = rows.filter(({ name, label }) => `${name} ${label}`.toLowerCase().includes(wanted3));
  return /* @__PURE__ */ a4("section", { class: "settings", "aria-label": "Settings of the skin", children: [
    rows.length > 0 && /* @__PURE__ */ a4("div", { class: "search", children: /* @__PURE__ */ a4(
      "input",
      {
        type: "search",
        "aria-label": "Search settings",
        placeholder: `Search ${rows.length} settings`,
        value: words.value,
        onInput: (event) => {
          words.value = event.currentTarget.value;
        }
      }
    ) }),
    /* @__PURE__ */ a4("div", { class: "rows", children: [
      grouped(found).map(
        ([group, members]) => group === "" ? members.map((row) => /* @__PURE__ */ a4(Row, { row }, row.name)) : /* @__PURE__ */ a4("details", { open: true, children: [
          /* @__PURE__ */ a4("summary", { children: plainName(group) }),
          members.map((row) => /* @__PURE__ */ a4(Row, { row }, row.name))
        ] }, group)
      ),
      found.length === 0 && /* @__PURE__ */ a4("p", { class: "quiet pad", children: rows.length === 0 ? "This skin has no settings." : "No setting has these words." })
    ] })
  ] });
}

// src/ui/recording.tsx
function Recording({ stage: stage2 }) {
  const seconds = recordedSeconds.value;
  if (seconds === null) return null;
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return /* @__PURE__ */ a4("p", { class: "notice recording", children: [
    /* @__PURE__ */ a4("span", { class: "red-mark", "aria-hidden": "true" }),
    "Recording ",
    time,
    /* @__PURE__ */ a4("button", { type: "button", class: "button", onClick: () => toggleRecording(stage2), children: "Stop" })
  ] });
}

// src/ui/curves.tsx
var HIGH = 28;
function CurveList({ duration }) {
  const hovered = useSignal(null);
  if (!curvesShown.value) return null;
  changes.value;
  const none = CURVES.every(({ name }) => valuesOf(name).every((one) => knownOf([one]).length < 2));
  return /* @__PURE__ */ a4("section", { class: "curves", "aria-label": "Measures over the motion", children: [
    CURVES.map((curve) => /* @__PURE__ */ a4(
      Row2,
      {
        curve,
        part: hovered.value ?? partOf(motionTime.peek(), duration),
        hovered: hovered.value,
        hover: (part) => {
          hovered.value = part;
        }
      },
      curve.name
    )),
    none && /* @__PURE__ */ a4("p", { class: "quiet curves-wait", children: "Curves are drawn while the motion plays." })
  ] });
}
function partOf(time, duration) {
  return Math.min(PARTS - 1, Math.floor(PARTS * within(time, duration) / duration));
}
function Row2({ curve, part, hovered, hover }) {
  const all = valuesOf(curve.name);
  const known2 = knownOf(all);
  const [low, high] = ends(known2, 10 ** -curve.figures);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("span", { class: "curve-name", children: [
      curve.label,
      " ",
      /* @__PURE__ */ a4("span", { class: "quiet", children: curve.unit })
    ] }),
    /* @__PURE__ */ a4(
      "svg",
      {
        class: "curve",
        viewBox: `0 0 ${PARTS} ${HIGH}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `${curve.label}, ${known2.length > 0 ? `${low.toFixed(curve.figures)} to ${high.toFixed(curve.figures)} ${curve.unit}` : "nothing yet"}`,
        onPointerMove: ({ currentTarget, clientX }) => {
          const box = currentTarget.getBoundingClientRect();
          hover(Math.max(0, Math.min(PARTS - 1, Math.floor(PARTS * (clientX - box.left) / box.width))));
        },
        onPointerLeave: () => hover(null),
        children: [
          all.map((values2, view2) => /* @__PURE__ */ a4(
            "path",
            {
              class: `view-${view2}`,
              d: pathOf(values2, low, high),
              "vector-effect": "non-scaling-stroke"
            },
            view2
          )),
          hovered !== null && /* @__PURE__ */ a4("line", { x1: part + 0.5, x2: part + 0.5, y1: 0, y2: HIGH, "vector-effect": "non-scaling-stroke" })
        ]
      }
    ),
    /* @__PURE__ */ a4("span", { class: "curve-values", children: all.map((values2, view2) => /* @__PURE__ */ a4("span", { title: state.value?.views[view2]?.stages.at(-1)?.name, children: [
      /* @__PURE__ */ a4("i", { class: `view-dot view-${view2}` }),
      valueAt(values2, part)?.toFixed(curve.figures) ?? "–"
    ] }, view2)) })
  ] });
}
function knownOf(all) {
  return all.flatMap((one) => [...one]).filter((value) => !Number.isNaN(value));
}
function ends(values2, least) {
  if (values2.length === 0) return [0, 1];
  const [low, high] = [Math.min(...values2), Math.max(...values2)];
  return high - low >= 2 * least ? [low, high] : [low - least, high + least];
}
function pathOf(values2, low, high) {
  let path = "";
  values2.forEach((value, part) => {
    if (Number.isNaN(value)) return;
    const y5 = HIGH - 2 - (HIGH - 4) * (value - low) / (high - low);
    path += `${path ? "L" : "M"}${part + 0.5} ${y5.toFixed(2)}`;
  });
  return path;
}

// src/ui/layers/bezier.tsx
var WRITTEN = /^cubic-bezier\(([^()]+)\)$/;
var [ROOM4, SIDE] = [24, 96];
var FINE = 100;
var STEP4 = 0.05;
var OVER = ROOM4 / SIDE;
var FIRST_BEZIER = "cubic-bezier(0.3, 0, 0.2, 1)";
function bezierOf(ease) {
  const found = WRITTEN.exec(ease)?.[1]?.split(",").map(Number);
  return found?.length === 4 ? found : null;
}
function BezierEditor({
  ends: ends2,
  change: change4
}) {
  const [held, setHeld] = d2(null);
  const square = T2(null);
  const [x1, y1, x22, y22] = held?.ends ?? ends2;
  const put = (handle2, x3, y5) => {
    const at = [
      Math.min(1, Math.max(0, Math.round(x3 * FINE) / FINE)),
      Math.min(1 + OVER, Math.max(-OVER, Math.round(y5 * FINE) / FINE))
    ];
    return handle2 === 0 ? [...at, x22, y22] : [x1, y1, ...at];
  };
  const under = (event) => {
    const box = square.current.getBoundingClientRect();
    return [(event.clientX - box.left - ROOM4) / SIDE, 1 - (event.clientY - box.top - ROOM4) / SIDE];
  };
  const handle = (number) => {
    const [x3, y5] = number === 0 ? [x1, y1] : [x22, y22];
    const release = (cancelled) => {
      if (held?.handle !== number) return;
      notSoon("bezier");
      setHeld(null);
      change4(written(cancelled ? ends2 : held.ends), true);
    };
    return /* @__PURE__ */ a4(
      "circle",
      {
        class: "bezier-handle",
        role: "button",
        tabindex: 0,
        "aria-label": `${number === 0 ? "First" : "Second"} handle: ${x3} of the time, ${y5} of the way. Arrow keys move it.`,
        cx: across(x3),
        cy: down(y5),
        r: 6,
        onPointerDown: (event) => {
          event.preventDefault();
          event.currentTarget.focus();
          event.currentTarget.setPointerCapture(event.pointerId);
          setHeld({ handle: number, ends: [x1, y1, x22, y22] });
        },
        onPointerMove: (event) => {
          if (held?.handle !== number) return;
          const now = put(number, ...under(event));
          setHeld({ handle: number, ends: now });
          soon("bezier", () => change4(written(now), false));
        },
        onPointerUp: () => release(false),
        onPointerCancel: () => release(true),
        onKeyDown: (event) => {
          const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
          if (!way) return;
          event.preventDefault();
          event.stopPropagation();
          change4(written(put(number, x3 + STEP4 * way[0], y5 + STEP4 * way[1])), true);
        }
      }
    );
  };
  const size3 = SIDE + 2 * ROOM4;
  return /* @__PURE__ */ a4(
    "svg",
    {
      ref: square,
      class: "bezier",
      width: size3,
      height: size3,
      role: "group",
      "aria-label": "The curve to the next key: time goes right, how far it has come goes up",
      children: [
        /* @__PURE__ */ a4("rect", { x: ROOM4, y: ROOM4, width: SIDE, height: SIDE, class: "bezier-square" }),
        /* @__PURE__ */ a4(
          "path",
          {
            d: `M${across(0)} ${down(0)}L${across(x1)} ${down(y1)}M${across(1)} ${down(1)}L${across(x22)} ${down(y22)}`,
            class: "bezier-tangent"
          }
        ),
        /* @__PURE__ */ a4(
          "path",
          {
            d: `M${across(0)} ${down(0)}C${across(x1)} ${down(y1)} ${across(x22)} ${down(y22)} ${across(1)} ${down(1)}`,
            class: "bezier-curve"
          }
        ),
        handle(0),
        handle(1)
      ]
    }
  );
}
var across = (x3) => ROOM4 + SIDE * x3;
var down = (y5) => ROOM4 + SIDE * (1 - y5);
function written(ends2) {
  return `cubic-bezier(${ends2.join(", ")})`;
}

// src/ui/layers/popover.tsx
var GAP = 6;
function Popover({
  anchor,
  over,
  label,
  close: close3,
  children
}) {
  const sheet = T2(null);
  const about2 = T2({ anchor, over, close: close3 });
  about2.current = { anchor, over, close: close3 };
  const stand = () => {
    if (!sheet.current) return;
    standBeside(sheet.current, about2.current.anchor(), about2.current.over?.() ?? null);
  };
  F2(stand);
  A2(() => {
    const grown = new ResizeObserver(stand);
    grown.observe(sheet.current);
    addEventListener("resize", stand);
    return () => {
      grown.disconnect();
      removeEventListener("resize", stand);
    };
  }, []);
  A2(() => {
    const field = ["input, select", "[aria-current], button"].map(
      (kind) => sheet.current?.querySelector(kind)
    );
    field.find(Boolean)?.focus({ preventScroll: true });
    const outside = (event) => {
      const target = event.target;
      if (!sheet.current?.contains(target) && !about2.current.anchor()?.contains(target))
        about2.current.close();
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, []);
  return /* @__PURE__ */ a4(
    "div",
    {
      ref: sheet,
      class: "popover",
      role: "dialog",
      "aria-label": label,
      onKeyDown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close3();
        anchor()?.focus();
      },
      children
    }
  );
}
function standBeside(sheet, about2, over) {
  const set = (name, pixels) => sheet.style.setProperty(name, `${pixels}px`);
  const covered = over?.getBoundingClientRect();
  if (covered) {
    set("left", covered.left + GAP);
    set("top", covered.top + GAP);
    set("width", covered.width - 2 * GAP);
    set("max-height", covered.height - 2 * GAP);
    return;
  }
  const at = about2?.getBoundingClientRect();
  if (!at) return;
  sheet.style.removeProperty("width");
  const [above, below] = [at.top - 2 * GAP, innerHeight - at.bottom - 2 * GAP];
  set("max-height", Math.max(above, below));
  const { width: width2, height: height2 } = sheet.getBoundingClientRect();
  set("left", Math.max(GAP, Math.min(at.left + at.width / 2 - width2 / 2, innerWidth - width2 - GAP)));
  set("top", height2 <= above ? at.top - height2 - GAP : at.bottom + GAP);
}

// src/ui/layers/key_sheet.tsx
var close = () => {
  openSheet.value = null;
};
function KeySheet({
  layer,
  info,
  anchor
}) {
  const edits = state.value.edits;
  const key = { layer: layer.name, time: info.time };
  const change4 = (what) => ask({ do: "change-key", ...key, ...what });
  const bezier = bezierOf(info.ease);
  return /* @__PURE__ */ a4(Popover, { label: `Key of ${layer.name}`, anchor, close, children: [
    /* @__PURE__ */ a4("header", { children: [
      /* @__PURE__ */ a4("b", { children: layer.name }),
      /* @__PURE__ */ a4("span", { class: "quiet", children: [
        info.time.toFixed(3),
        " s"
      ] }),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-label": "Delete this key",
          title: "Delete this key (Delete)",
          onClick: () => deleteKey(key),
          children: /* @__PURE__ */ a4(Icon, { name: "bin" })
        }
      )
    ] }),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: "Shape" }),
      /* @__PURE__ */ a4("select", { value: info.use, onChange: (event) => change4({ use: event.currentTarget.value }), children: [
        /* @__PURE__ */ a4("option", { value: "", children: "nothing" }),
        [...edits.shapes, ...edits.poses].map((name) => /* @__PURE__ */ a4("option", { children: name }, name))
      ] })
    ] }),
    info.use && /* @__PURE__ */ a4(
      AmountField,
      {
        name: `key ${key.layer} ${key.time}`,
        label: "Amount",
        value: info.amount,
        change: (amount, done) => change4({ amount, done })
      }
    ),
    /* @__PURE__ */ a4("div", { class: "easings", role: "radiogroup", "aria-label": "The way to the next key", children: [
      edits.easings.map((easing) => /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          role: "radio",
          class: "easing",
          "aria-checked": easing.name === info.ease,
          "aria-label": easing.name,
          title: easing.name,
          onClick: () => change4({ ease: easing.name }),
          children: /* @__PURE__ */ a4(Curve, { easing })
        },
        easing.name
      )),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          role: "radio",
          class: "easing",
          "aria-checked": bezier !== null,
          "aria-label": "a curve of your own",
          title: "a curve of your own",
          onClick: () => bezier ?? change4({ ease: FIRST_BEZIER }),
          children: /* @__PURE__ */ a4("svg", { viewBox: "-2 0 24 16", width: "24", height: "16", "aria-hidden": "true", children: [
            /* @__PURE__ */ a4(
              "path",
              {
                d: "M2 13C12 13 8 3 18 3M2 13h8M18 3h-8",
                fill: "none",
                stroke: "currentColor",
                "stroke-width": "1.2"
              }
            ),
            /* @__PURE__ */ a4("circle", { cx: "10", cy: "13", r: "1.8", fill: "currentColor" }),
            /* @__PURE__ */ a4("circle", { cx: "10", cy: "3", r: "1.8", fill: "currentColor" })
          ] })
        }
      )
    ] }),
    bezier && /* @__PURE__ */ a4(BezierEditor, { ends: bezier, change: (ease, done) => change4({ ease, done }) }),
    /* @__PURE__ */ a4("p", { class: "quiet centred", children: [
      bezier ? "your own curve" : info.ease.replaceAll("-", " "),
      " to the next key"
    ] })
  ] });
}
function Curve({ easing: { name, curve } }) {
  const last2 = curve.length - 1;
  const place = (value, i4) => `${(20 * i4 / last2).toFixed(1)} ${(14 - 12 * value).toFixed(1)}`;
  const line = name === "hold" ? `M0 14 H20 V2` : `M${curve.map((value, i4) => place(value, i4)).join(" L")}`;
  return /* @__PURE__ */ a4("svg", { viewBox: "-2 0 24 16", width: "24", height: "16", "aria-hidden": "true", children: /* @__PURE__ */ a4("path", { d: line, fill: "none", stroke: "currentColor", "stroke-width": "1.4" }) });
}

// src/ui/layers/key.tsx
var STARTS = 3;
function KeyMark({ layer, info, duration }) {
  const mark = T2(null);
  const pressed = T2(null);
  const key = { layer: layer.name, time: info.time };
  const moved2 = movedKey.value;
  const own = moved2?.layer === key.layer && moved2.time === key.time ? moved2 : null;
  const at = own && !own.copy ? own.to : info.time;
  const sheet = openSheet.value;
  const isOpen = sheet && "key" in sheet && sheet.key.layer === key.layer && sheet.key.time === key.time;
  A2(() => {
    const nobody = document.activeElement === document.body || !document.activeElement;
    if (nobody && isChosen(layer.name, info.time)) mark.current?.focus();
  }, [layer.name, info.time]);
  const move = (event) => {
    const start = pressed.current;
    if (!start) return;
    start.moved ||= Math.abs(event.clientX - start.x) >= STARTS;
    if (!start.moved) return;
    const row = mark.current.parentElement.getBoundingClientRect();
    const shifted = info.time + (event.clientX - start.x) / row.width * duration;
    const to = onFrame(Math.min(duration, Math.max(0, shifted)));
    const copy = event.ctrlKey || event.altKey || event.metaKey;
    movedKey.value = { ...key, to, copy };
    soon("move-key", () => ask({ do: "change-key", ...key, to, copy, done: false }));
  };
  const release = (cancelled) => {
    const start = pressed.current;
    pressed.current = null;
    if (!start) return;
    const last2 = movedKey.value;
    movedKey.value = null;
    if (!start.moved) openSheet.value = isOpen ? null : { key };
    else if (cancelled || !last2 || last2.to === key.time) ask({ do: "change-key", ...key });
    else soon("move-key", () => moveKey(key, last2.to, last2.copy));
  };
  const onKeyDown = (event) => {
    const step2 = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const fps = state.value?.transport.fps || 60;
    if (step2) moveKey(key, onFrame(Math.max(0, info.time + step2 / fps)), event.ctrlKey || event.altKey);
    else if (event.key === "Delete" || event.key === "Backspace") deleteKey(key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      "button",
      {
        ref: mark,
        type: "button",
        class: `key ${info.use ? "" : "empty"}`,
        "aria-label": `Key of ${layer.name} at ${info.time.toFixed(2)} seconds: ${wordsOf(info)}`,
        "aria-pressed": isChosen(layer.name, info.time),
        title: `${wordsOf(info)}, ${info.ease}
Drag to move it, with Ctrl to copy it; ← → by a frame, Delete`,
        style: { left: `${100 * at / duration}%` },
        onFocus: () => {
          chosenKey.value = key;
        },
        onPointerDown: (event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          event.currentTarget.focus();
          event.currentTarget.setPointerCapture(event.pointerId);
          pressed.current = { x: event.clientX, moved: false };
        },
        onPointerMove: move,
        onPointerUp: () => release(false),
        onLostPointerCapture: () => release(true),
        onClick: (event) => {
          if (event.detail === 0) openSheet.value = { key };
        },
        onKeyDown
      }
    ),
    own?.copy && /* @__PURE__ */ a4("span", { class: "key ghost", style: { left: `${100 * own.to / duration}%` } }),
    isOpen && /* @__PURE__ */ a4(KeySheet, { layer, info, anchor: () => mark.current })
  ] });
}
function wordsOf({ use, amount }) {
  return use ? `${use} ${amount.toFixed(2)}` : "nothing";
}

// src/ui/layers/layer_sheet.tsx
var FIRMEST = 20;
var close2 = () => {
  openSheet.value = null;
};
function LayerSheet({
  layer,
  place,
  count,
  anchor
}) {
  const { name } = layer;
  const firmness = `firmness ${name}`;
  const move = (to) => ask({ do: "change-layer", layer: name, place: to });
  return /* @__PURE__ */ a4(Popover, { label: `Layer ${name}`, anchor, close: close2, children: [
    /* @__PURE__ */ a4("header", { children: [
      /* @__PURE__ */ a4(
        "input",
        {
          type: "text",
          "aria-label": "Name of the layer",
          maxLength: 200,
          spellcheck: false,
          value: name,
          onChange: ({ currentTarget }) => {
            const typed = currentTarget.value.trim();
            if (typed && typed !== name) {
              ask({ do: "change-layer", layer: name, name: typed });
              openSheet.value = { layer: typed };
            } else currentTarget.value = name;
          }
        }
      ),
      /* @__PURE__ */ a4(Small, { name: "up", label: "Earlier in the list", disabled: place === 0, run: () => move(place - 1) }),
      /* @__PURE__ */ a4(
        Small,
        {
          name: "down",
          label: "Later in the list",
          disabled: place === count - 1,
          run: () => move(place + 1)
        }
      ),
      /* @__PURE__ */ a4(
        Small,
        {
          name: "bin",
          label: "Delete this layer",
          run: () => {
            ask({ do: "delete-layer", layer: name });
            close2();
          }
        }
      )
    ] }),
    /* @__PURE__ */ a4(
      AmountField,
      {
        name: `layer ${name}`,
        label: "Amount",
        value: layer.amount,
        change: (amount, done) => ask({ do: "change-layer", layer: name, amount, done })
      }
    ),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("span", { class: "quiet", children: "Repeat" }),
      /* @__PURE__ */ a4(
        "input",
        {
          type: "checkbox",
          class: "switch",
          role: "switch",
          "aria-checked": layer.repeat,
          checked: layer.repeat,
          onChange: (event) => ask({ do: "change-layer", layer: name, repeat: event.currentTarget.checked })
        }
      ),
      /* @__PURE__ */ a4("span", { class: "quiet", children: "from its last key on it starts over" })
    ] }),
    state.value?.edits.firm && /* @__PURE__ */ a4(
      AmountField,
      {
        name: firmness,
        label: "Firmness",
        high: FIRMEST,
        value: layer.firmness,
        change: (value, done) => ask({ do: "change-layer", layer: name, firmness: value, done })
      }
    )
  ] });
}
function Small({
  name,
  label,
  disabled = false,
  run
}) {
  return /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: "button small",
      "aria-label": label,
      title: label,
      disabled,
      onClick: run,
      children: /* @__PURE__ */ a4(Icon, { name })
    }
  );
}

// src/ui/layers/row.tsx
function LayerRow({
  layer,
  place,
  count,
  duration
}) {
  const name = T2(null);
  const draft = `layer ${layer.name}`;
  const sheet = openSheet.value;
  const isOpen = sheet !== null && "layer" in sheet && sheet.layer === layer.name;
  const later2 = layer.keys.filter(({ time }) => time > duration);
  return /* @__PURE__ */ a4("div", { class: `layer ${layer.mute ? "muted" : ""}`, role: "group", "aria-label": `Layer ${layer.name}`, children: [
    /* @__PURE__ */ a4("div", { class: "layer-head", children: [
      /* @__PURE__ */ a4(
        "button",
        {
          ref: name,
          type: "button",
          class: "layer-name",
          title: `${layer.name}: name, order, repeat`,
          "aria-expanded": isOpen,
          onClick: () => {
            openSheet.value = isOpen ? null : { layer: layer.name };
          },
          children: layer.name
        }
      ),
      /* @__PURE__ */ a4(Toggle, { layer, word: "mute", letter: "M" }),
      /* @__PURE__ */ a4(Toggle, { layer, word: "solo", letter: "S" }),
      /* @__PURE__ */ a4(
        AmountField,
        {
          bare: true,
          name: draft,
          label: "Amount",
          value: layer.amount,
          change: (amount, done) => ask({ do: "change-layer", layer: layer.name, amount, done })
        }
      )
    ] }),
    /* @__PURE__ */ a4("div", { class: "key-row", children: layer.keys.filter(({ time }) => time >= 0 && time <= duration).map((info) => /* @__PURE__ */ a4(KeyMark, { layer, info, duration }, info.time)) }),
    /* @__PURE__ */ a4("div", { class: "layer-end", children: [
      /* @__PURE__ */ a4(
        "span",
        {
          class: "quiet",
          title: later2.map(({ time, use }) => `${use || "nothing"} at ${time.toFixed(2)} s`).join("\n"),
          children: [
            later2.length > 0 && `${later2.length} later`,
            layer.repeat && " ↻"
          ]
        }
      ),
      /* @__PURE__ */ a4(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-label": `Key of ${layer.name} at the playhead`,
          title: "Key at the playhead",
          onClick: () => addKey(layer),
          children: /* @__PURE__ */ a4(Icon, { name: "key" })
        }
      )
    ] }),
    isOpen && /* @__PURE__ */ a4(LayerSheet, { layer, place, count, anchor: () => name.current })
  ] });
}
function Toggle({ layer, word, letter }) {
  return /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: "toggle",
      "aria-label": `${word === "mute" ? "Mute" : "Solo"} ${layer.name}`,
      "aria-pressed": layer[word],
      title: word === "mute" ? "Mute: counts for nothing" : "Solo: only layers on solo count",
      onClick: () => ask({ do: "change-layer", layer: layer.name, [word]: !layer[word] }),
      children: letter
    }
  );
}

// src/ui/layers/list.tsx
function LayerList({ duration }) {
  const layers = state.value?.edits.layers ?? [];
  if (!layersShown()) return null;
  return /* @__PURE__ */ a4("section", { class: "layers", "aria-label": "Layers", children: [
    layers.map((layer, place) => /* @__PURE__ */ a4(LayerRow, { layer, place, count: layers.length, duration }, layer.name)),
    layers.length === 0 && /* @__PURE__ */ a4("p", { class: "quiet no-layers", children: "No layers yet: draw a shape or a pose, and key it." })
  ] });
}

// src/ui/layers/span.tsx
function Span({ duration }) {
  const dragged = useSignal(null);
  const span = dragged.value ?? state.value?.transport.span;
  if (!span) return null;
  const place = (time) => `${100 * Math.min(duration, Math.max(0, time)) / duration}%`;
  const end = (which) => /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: "span-end",
      "aria-label": which ? `The part ends at ${span[1].toFixed(2)} seconds` : `The part begins at ${span[0].toFixed(2)} seconds`,
      title: which ? "Where the part ends (.); drag it" : "Where the part begins (,); drag it",
      style: { left: place(span[which]) },
      onPointerDown: (event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event) => {
        event.stopPropagation();
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const box = event.currentTarget.parentElement.parentElement.getBoundingClientRect();
        dragged.value = moved(span, which, duration * (event.clientX - box.left) / box.width, duration);
        const [from, to] = dragged.value;
        soon("loop", () => ask({ do: "loop", start: from, end: to }));
      },
      onLostPointerCapture: (event) => {
        event.stopPropagation();
        dragged.value = null;
      },
      onKeyDown: (event) => {
        const step2 = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step2) return;
        event.preventDefault();
        event.stopPropagation();
        const [from, to] = moved(span, which, span[which] + step2 * frame(), duration);
        ask({ do: "loop", start: from, end: to });
      }
    }
  );
  return /* @__PURE__ */ a4("div", { class: "span", children: [
    /* @__PURE__ */ a4("div", { class: "span-bar", style: { left: place(span[0]), right: `calc(100% - ${place(span[1])})` } }),
    end(0),
    end(1)
  ] });
}
function frame() {
  return 1 / (state.value?.transport.fps || 60);
}
function moved(span, which, time, duration) {
  const [from, to] = span;
  const at = onFrame(Math.min(duration, Math.max(0, time)));
  return which ? [from, Math.max(at, from + frame())] : [Math.min(at, to - frame()), to];
}

// src/ui/timeline.tsx
var KEY_STEP = 1 / 30;
var TICK2 = 44;
var READABLE = 100;
function Timeline({ stage: stage2 }) {
  const duration = state.value?.transport.duration ?? null;
  return /* @__PURE__ */ a4("section", { class: "timeline", "aria-label": "Motion", children: [
    /* @__PURE__ */ a4("div", { class: "transport", role: "group", "aria-label": "Playing", children: [
      /* @__PURE__ */ a4(ActionButton, { id: "to-start", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "step-back", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "play", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "step-ahead", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "loop", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "as-baked", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "layers", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "ghosts", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "curves", stage: stage2 })
    ] }),
    duration ? /* @__PURE__ */ a4(Track, { duration }) : /* @__PURE__ */ a4("p", { class: "track quiet", children: state.value && endless() }),
    /* @__PURE__ */ a4("div", { class: "clock", children: [
      /* @__PURE__ */ a4(Figures, { duration }),
      /* @__PURE__ */ a4(Speed, {})
    ] }),
    duration && /* @__PURE__ */ a4(CurveList, { duration }),
    duration && /* @__PURE__ */ a4(LayerList, { duration })
  ] });
}
function endless() {
  return (state.value?.capture?.light ?? "off") === "off" ? "This motion has no end." : "A performer leads it.";
}
function useFigures(duration) {
  const words = useSignal("0.00");
  A2(() => {
    const show = () => {
      const time = motionTime.peek();
      words.value = (duration ? within(time, duration) : time).toFixed(2);
    };
    show();
    const timer = setInterval(show, READABLE);
    return () => clearInterval(timer);
  }, [duration, words]);
  return words;
}
function Figures({ duration }) {
  const words = useFigures(duration);
  return /* @__PURE__ */ a4("output", { class: "figures", "aria-label": "Time of the motion", children: [
    /* @__PURE__ */ a4("b", { children: words }),
    /* @__PURE__ */ a4("span", { class: "quiet", children: duration ? ` / ${duration.toFixed(2)} s` : " s" })
  ] });
}
function Speed() {
  const rate = state.value?.transport.rate ?? 1;
  const speeds = SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate].sort((a5, b3) => a5 - b3);
  return /* @__PURE__ */ a4(
    "select",
    {
      "aria-label": "Speed",
      title: "Speed of the motion (↓ ↑)",
      value: String(rate),
      onChange: (event) => ask({ do: "run", rate: Number(event.currentTarget.value) }),
      children: speeds.map((speed2) => /* @__PURE__ */ a4("option", { value: String(speed2), children: [
        speed2 < 0 ? `−${-speed2}` : speed2,
        " ×"
      ] }, speed2))
    }
  );
}
function tickSpacing(duration, width2) {
  const rough = duration / Math.max(1, Math.min(10, width2 / TICK2));
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((step2) => step2 * power >= rough) ?? 10) * power;
}
function Track({ duration }) {
  const track = T2(null);
  const head = T2(null);
  const dragged = useSignal(null);
  A2(
    () => x2(() => {
      const time = dragged.value ?? within(motionTime.value, duration);
      const place = `${100 * time / duration}%`;
      head.current?.style.setProperty("translate", place);
      if (!layersShown() && !curvesShown.value) return;
      head.current?.closest(".timeline")?.style.setProperty("--playhead", place);
    }),
    [duration, dragged]
  );
  const width2 = useSignal(10 * TICK2);
  A2(() => {
    const seen = new ResizeObserver(() => {
      width2.value = track.current?.clientWidth || width2.value;
    });
    seen.observe(track.current);
    return () => seen.disconnect();
  }, [width2]);
  const figures3 = useFigures(duration);
  const seek = (time) => soon("seek", () => ask({ do: "seek", time }));
  const dragTo = (event) => {
    const box = track.current.getBoundingClientRect();
    dragged.value = duration * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    seek(dragged.value);
  };
  const onKeyDown = (event) => {
    const now = within(motionTime.value, duration);
    const to = {
      ArrowLeft: now - KEY_STEP,
      ArrowRight: now + KEY_STEP,
      PageDown: now - 0.5,
      PageUp: now + 0.5,
      Home: 0,
      End: duration
    }[event.key];
    if (to === void 0) return;
    event.preventDefault();
    seek(Math.min(duration, Math.max(0, to)));
  };
  const spacing = tickSpacing(duration, width2.value);
  const ticks = Array.from({ length: Math.floor(duration / spacing + 1e-6) + 1 }, (_4, i4) => i4 * spacing);
  return /* @__PURE__ */ a4(
    "div",
    {
      ref: track,
      class: "track",
      role: "slider",
      tabIndex: 0,
      "aria-label": "Time of the motion",
      "aria-valuemin": 0,
      "aria-valuemax": Number(duration.toFixed(2)),
      "aria-valuenow": useComputed(() => Number(figures3.value)),
      "aria-valuetext": useComputed(() => `${figures3.value} seconds`),
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dragTo(event);
      },
      onPointerMove: (event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) dragTo(event);
      },
      onLostPointerCapture: () => {
        dragged.value = null;
      },
      onKeyDown,
      children: [
        /* @__PURE__ */ a4("div", { class: "rail" }),
        /* @__PURE__ */ a4(Span, { duration }),
        ticks.map((time) => /* @__PURE__ */ a4("span", { class: "tick", style: { left: `${100 * time / duration}%` }, children: Number(time.toFixed(3)) }, time)),
        /* @__PURE__ */ a4("div", { ref: head, class: "playhead" })
      ]
    }
  );
}

// src/ui/toasts.tsx
var STAYS = 12e3;
function Toasts() {
  return /* @__PURE__ */ a4("div", { class: "toasts", role: "region", "aria-label": "Messages", "aria-live": "polite", children: toasts.value.map((toast) => /* @__PURE__ */ a4(OneToast, { toast }, toast.id)) });
}
function OneToast({ toast }) {
  A2(() => {
    const timer = setTimeout(() => dismissToast(toast.id), STAYS);
    return () => clearTimeout(timer);
  }, [toast.id, toast.times]);
  return /* @__PURE__ */ a4(
    "div",
    {
      class: `toast ${"refused" in toast ? "refused" : ""}`,
      role: "refused" in toast ? "alert" : "status",
      children: [
        "refused" in toast ? /* @__PURE__ */ a4(Refusal, { toast }) : /* @__PURE__ */ a4("p", { children: toast.text }),
        /* @__PURE__ */ a4("button", { type: "button", class: "button small", "aria-label": "Dismiss", onClick: () => dismissToast(toast.id), children: /* @__PURE__ */ a4(Icon, { name: "close" }) })
      ]
    }
  );
}
function Refusal({ toast }) {
  const { where, given, needed, advice } = toast.refused;
  return /* @__PURE__ */ a4("div", { children: [
    /* @__PURE__ */ a4("p", { class: "where", children: [
      where,
      toast.times > 1 && /* @__PURE__ */ a4("span", { class: "quiet", children: [
        " × ",
        toast.times
      ] })
    ] }),
    /* @__PURE__ */ a4("p", { children: sentence(given) }),
    needed && /* @__PURE__ */ a4("p", { class: "quiet", children: sentence(needed) }),
    advice && /* @__PURE__ */ a4("p", { class: "advice", children: sentence(advice) })
  ] });
}

// src/ui/jobs/jobs.tsx
function JobsButton() {
  const button = T2(null);
  const close3 = () => {
    jobsOpen.value = false;
  };
  const running = state.value?.jobs.find((job) => job.state === "running");
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      "button",
      {
        ref: button,
        type: "button",
        class: "button",
        id: "action-jobs",
        "aria-label": "Export",
        "aria-expanded": jobsOpen.value,
        title: "Export: bakes, films and comparisons (Ctrl E)",
        onClick: () => {
          jobsOpen.value = !jobsOpen.value;
        },
        children: [
          /* @__PURE__ */ a4(Icon, { name: "export" }),
          running && /* @__PURE__ */ a4("span", { class: "quiet", children: percent(running) })
        ]
      }
    ),
    jobsOpen.value && /* @__PURE__ */ a4(
      Popover,
      {
        label: "Export",
        anchor: () => button.current,
        over: () => document.querySelector(".panel"),
        close: close3,
        children: /* @__PURE__ */ a4(Sheet, { close: close3 })
      }
    )
  ] });
}
function percent({ done, total }) {
  return total > 0 ? `${Math.floor(100 * done / total)} %` : "…";
}
function Sheet({ close: close3 }) {
  const jobs = state.value?.jobs ?? [];
  return /* @__PURE__ */ a4("div", { class: "jobs", children: [
    /* @__PURE__ */ a4("div", { class: "sheet-head", children: [
      /* @__PURE__ */ a4("h2", { children: "Export" }),
      /* @__PURE__ */ a4("button", { type: "button", class: "button small", "aria-label": "Close", onClick: close3, children: /* @__PURE__ */ a4(Icon, { name: "close" }) })
    ] }),
    /* @__PURE__ */ a4(NewJob, { kinds: state.value?.job_kinds ?? [] }),
    jobs.length > 0 && /* @__PURE__ */ a4("ul", { "aria-label": "Jobs", children: [...jobs].reverse().map((job) => /* @__PURE__ */ a4(OneJob, { job }, job.number)) })
  ] });
}
function NewJob({ kinds }) {
  const chosen2 = useSignal("bake");
  const suffix = useSignal("");
  const kind = kinds.find((one) => one.kind === chosen2.value) ?? kinds[0];
  if (!kind) return null;
  const format = kind.suffixes.includes(suffix.value) ? suffix.value : kind.suffixes[0];
  const start = (event) => {
    event.preventDefault();
    ask({ do: "start-job", kind: kind.kind, suffix: format, view: view.value?.view ?? 0 });
  };
  return /* @__PURE__ */ a4("form", { class: "new-job", onSubmit: start, children: [
    /* @__PURE__ */ a4(
      "select",
      {
        "aria-label": "What to make",
        value: kind.kind,
        onChange: (event) => {
          chosen2.value = event.currentTarget.value;
        },
        children: kinds.map((one) => /* @__PURE__ */ a4("option", { value: one.kind, children: one.label }, one.kind))
      }
    ),
    /* @__PURE__ */ a4(
      "select",
      {
        "aria-label": "Format",
        value: format,
        onChange: (event) => {
          suffix.value = event.currentTarget.value;
        },
        children: kind.suffixes.map((one) => /* @__PURE__ */ a4("option", { value: one, children: one }, one))
      }
    ),
    /* @__PURE__ */ a4("button", { type: "submit", class: "button main", children: "Start" })
  ] });
}
function OneJob({ job }) {
  const { number, name, state: how } = job;
  return /* @__PURE__ */ a4("li", { class: "job", "data-state": how, children: [
    /* @__PURE__ */ a4("div", { class: "job-head", children: [
      how === "done" ? /* @__PURE__ */ a4("a", { href: `/result/${number}`, download: name, children: name }) : /* @__PURE__ */ a4("b", { children: name }),
      /* @__PURE__ */ a4("span", { class: "job-do", children: [
        (how === "running" || how === "waiting") && /* @__PURE__ */ a4(Do, { name: "Cancel", job: number, action: "cancel-job" }),
        (how === "cancelled" || how === "failed") && /* @__PURE__ */ a4(Do, { name: "Go on", job: number, action: "resume-job" }),
        how !== "running" && how !== "waiting" && /* @__PURE__ */ a4(Do, { name: "Remove", job: number, action: "forget-job" })
      ] })
    ] }),
    how === "running" && /* @__PURE__ */ a4("progress", { "aria-label": name, max: job.total || void 0, value: job.total ? job.done : void 0 }),
    /* @__PURE__ */ a4("p", { class: "quiet", children: said(job) }),
    how === "failed" && /* @__PURE__ */ a4("p", { class: "quiet", children: job.words })
  ] });
}
function said({ state: how, what, done, total, size: size3 }) {
  if (how === "running") return total ? `${what} ${done} of ${total}` : "starting …";
  if (how === "done" && size3 !== null) return `${(size3 / 1e6).toFixed(size3 < 1e6 ? 2 : 1)} MB`;
  return how;
}
function Do({
  name,
  job,
  action: action2
}) {
  return /* @__PURE__ */ a4("button", { type: "button", class: "button", onClick: () => ask({ do: action2, job }), children: name });
}

// src/ui/layers/history.tsx
function HistoryButton() {
  const open = useSignal(false);
  const button = T2(null);
  const { past = [], future = [] } = state.value ?? {};
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      "button",
      {
        ref: button,
        type: "button",
        class: "button",
        "aria-label": "All steps",
        "aria-expanded": open.value,
        title: "All steps, to go several back or forth",
        disabled: past.length + future.length === 0,
        onClick: () => {
          open.value = !open.value;
        },
        children: /* @__PURE__ */ a4(Icon, { name: "history" })
      }
    ),
    open.value && /* @__PURE__ */ a4(
      Popover,
      {
        label: "Steps",
        anchor: () => button.current,
        close: () => {
          open.value = false;
        },
        children: /* @__PURE__ */ a4(Steps, { past, future })
      }
    )
  ] });
}
function Steps({ past, future }) {
  const list = T2(null);
  const names = ["Open", ...past, ...future];
  const now = past.length;
  A2(() => {
    list.current?.children[now]?.scrollIntoView({ block: "nearest" });
  }, [now]);
  return /* @__PURE__ */ a4("ol", { ref: list, class: "steps", children: names.map((name, place) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(
    "button",
    {
      type: "button",
      class: place > now ? "undone" : "",
      "aria-current": place === now ? "step" : void 0,
      onClick: () => {
        if (place !== now) ask({ do: "travel", steps: place - now });
      },
      children: name
    }
  ) }, place)) });
}

// src/ui/topbar.tsx
var FRAME = 1e3 / 60;
function TopBar({ stage: stage2, software }) {
  return /* @__PURE__ */ a4("header", { class: "topbar", children: [
    /* @__PURE__ */ a4("h1", { children: "Supple" }),
    /* @__PURE__ */ a4(Character, {}),
    /* @__PURE__ */ a4(SavedMark, {}),
    /* @__PURE__ */ a4("div", { class: "cluster", role: "group", "aria-label": "Document", children: [
      /* @__PURE__ */ a4(ActionButton, { id: "open", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "save", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "undo", stage: stage2, beside: state.value?.undo }),
      /* @__PURE__ */ a4(ActionButton, { id: "redo", stage: stage2, beside: state.value?.redo }),
      /* @__PURE__ */ a4(HistoryButton, {})
    ] }),
    /* @__PURE__ */ a4("div", { class: "cluster", role: "group", "aria-label": "View", children: [
      /* @__PURE__ */ a4(ActionButton, { id: "frame", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "follow", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "bones", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "parallel", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "front", stage: stage2, text: "Front" }),
      /* @__PURE__ */ a4(ActionButton, { id: "side", stage: stage2, text: "Side" }),
      /* @__PURE__ */ a4(ActionButton, { id: "top", stage: stage2, text: "Top" })
    ] }),
    /* @__PURE__ */ a4(Meters, { software }),
    /* @__PURE__ */ a4("div", { class: "cluster", role: "group", "aria-label": "Window", children: [
      /* @__PURE__ */ a4(JobsButton, {}),
      /* @__PURE__ */ a4(ActionButton, { id: "palette", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "theme", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "help", stage: stage2 }),
      /* @__PURE__ */ a4(ActionButton, { id: "panel", stage: stage2 })
    ] })
  ] });
}
function Character() {
  const now = state.value;
  if (!now) return null;
  const { character, characters, mesh } = now;
  const names = characters.includes(character) ? characters : [character, ...characters];
  return /* @__PURE__ */ a4("div", { class: "character", children: /* @__PURE__ */ a4(
    "select",
    {
      "aria-label": "Character",
      title: `Character, ${mesh.vertices.toLocaleString("en").replace(",", " ")} vertices`,
      value: character,
      onChange: (event) => chooseCharacter(event.currentTarget.value),
      children: names.map((name) => /* @__PURE__ */ a4("option", { value: name, children: characters.includes(name) ? plainName(name) : name }, name))
    }
  ) });
}
function Meters({ software }) {
  const drawing = software ? "pictures drawn each second; there is no graphics card in use, so drawing is slow" : "pictures drawn each second";
  return /* @__PURE__ */ a4("dl", { class: "meters", "aria-label": "Meters", children: [
    /* @__PURE__ */ a4(
      Meter2,
      {
        name: "engine",
        value: engineMilliseconds.value.toFixed(1),
        unit: "ms",
        slow: engineMilliseconds.value > FRAME,
        hint: "time of the engine for one frame"
      }
    ),
    /* @__PURE__ */ a4(
      Meter2,
      {
        name: "arriving",
        value: framesArriving.value.toFixed(0),
        unit: "/s",
        slow: false,
        hint: "frames that arrive each second"
      }
    ),
    /* @__PURE__ */ a4(
      Meter2,
      {
        name: "picture",
        value: picturesDrawn.value.toFixed(0),
        unit: "fps",
        slow: software,
        hint: drawing
      }
    )
  ] });
}
function Meter2({
  name,
  value,
  unit,
  slow,
  hint: hint2
}) {
  return /* @__PURE__ */ a4("div", { class: `meter ${slow ? "slow" : ""}`, title: `${name}: ${hint2}`, children: [
    /* @__PURE__ */ a4("dt", { children: name }),
    /* @__PURE__ */ a4("dd", { children: [
      value,
      " ",
      /* @__PURE__ */ a4("span", { class: "quiet", children: unit })
    ] })
  ] });
}

// src/ui/welcome.tsx
var KEPT2 = "supple-welcomed";
var wanted2 = y3(!known());
var tried = y3(/* @__PURE__ */ new Set());
function known() {
  try {
    return localStorage.getItem(KEPT2) !== null;
  } catch {
    return false;
  }
}
function leave() {
  wanted2.value = false;
  try {
    localStorage.setItem(KEPT2, "1");
  } catch {
  }
}
function did(what) {
  if (!wanted2.peek() || tried.peek().has(what)) return;
  tried.value = /* @__PURE__ */ new Set([...tried.peek(), what]);
  if (tried.value.size === HINTS.length) leave();
}
var HINTS = [
  { id: "drag", words: "Drag the skin, while it walks or stands", keys: [] },
  { id: "pause", words: "Stop the motion; the flesh goes on", keys: ["Space"] },
  { id: "tool", words: "Paint, draw, pose: the tools on the left", keys: ["?"] }
];
var ready = O(() => wanted2.value && state.value !== null && shownFrame.value > 0);
x2(() => {
  if (holding.value) did("drag");
});
x2(() => {
  if (state.value && !state.value.transport.playing) did("pause");
});
x2(() => {
  if (tool.value && tool.value.id !== "drag") did("tool");
});
function Welcome() {
  if (!ready.value) return null;
  return /* @__PURE__ */ a4("aside", { class: "welcome", "aria-label": "First steps", children: [
    /* @__PURE__ */ a4("ul", { children: HINTS.map(({ id, words, keys }) => /* @__PURE__ */ a4("li", { class: tried.value.has(id) ? "tried" : "", children: [
      /* @__PURE__ */ a4("span", { class: "mark", "aria-hidden": "true" }),
      /* @__PURE__ */ a4("span", { children: words }),
      keys.map((key) => /* @__PURE__ */ a4("kbd", { children: key }, key))
    ] }, id)) }),
    /* @__PURE__ */ a4("button", { type: "button", class: "button small", "aria-label": "Close first steps", title: "Close", onClick: leave, children: /* @__PURE__ */ a4(Icon, { name: "close" }) })
  ] });
}

// src/ui/studio.tsx
function Studio({ stage: stage2, software }) {
  return /* @__PURE__ */ a4("div", { class: `studio ${panelOpen.value ? "" : "without-panel"}`, children: [
    /* @__PURE__ */ a4(TopBar, { stage: stage2, software }),
    /* @__PURE__ */ a4("main", { class: "stage", children: [
      /* @__PURE__ */ a4(Canvas, { canvas: stage2.canvas }),
      /* @__PURE__ */ a4(Panes, {}),
      /* @__PURE__ */ a4(Toolbar, { stage: stage2 }),
      /* @__PURE__ */ a4(Legend, {}),
      /* @__PURE__ */ a4(Welcome, {}),
      /* @__PURE__ */ a4(Notices, { stage: stage2 })
    ] }),
    panelOpen.value && /* @__PURE__ */ a4(Panel, {}),
    /* @__PURE__ */ a4(Toasts, {}),
    /* @__PURE__ */ a4(Timeline, { stage: stage2 }),
    /* @__PURE__ */ a4(ShortcutSheet, {}),
    /* @__PURE__ */ a4(Palette, { stage: stage2 }),
    /* @__PURE__ */ a4(OpenDialog, {}),
    /* @__PURE__ */ a4(DropOverlay, {}),
    /* @__PURE__ */ a4(SaveDialog, {}),
    /* @__PURE__ */ a4(DocumentsDialog, {})
  ] });
}
function Canvas({ canvas }) {
  const place = T2(null);
  A2(() => {
    place.current?.append(canvas);
  }, [canvas]);
  return /* @__PURE__ */ a4("div", { class: "canvas", ref: place });
}
function Notices({ stage: stage2 }) {
  const { open } = link.value;
  const views2 = state.value?.views ?? [];
  const binding = views2.length === 1 ? views2[0]?.preparing : null;
  const preparing = state.value?.opening ?? binding;
  return /* @__PURE__ */ a4("div", { class: "notices", role: "status", children: [
    failure.value && /* @__PURE__ */ a4(Failed, { why: failure.value }),
    !link.value.open && !failure.value && /* @__PURE__ */ a4("p", { class: "notice lost", children: [
      state.value ? "The engine is out of reach; trying again …" : "Looking for the engine …",
      link.value.reason && /* @__PURE__ */ a4("span", { class: "quiet", children: [
        " ",
        link.value.reason
      ] })
    ] }),
    open && state.value && silent.value && /* @__PURE__ */ a4("p", { class: "notice lost", children: "No frame has come for a while: the engine is busy, or has stopped." }),
    /* @__PURE__ */ a4(SendingNotice, {}),
    /* @__PURE__ */ a4(Recording, { stage: stage2 }),
    open && /* @__PURE__ */ a4(LeftOpenNotice, {}),
    open && state.value?.transport.as_baked === "working" && !state.value.transport.playing && /* @__PURE__ */ a4("p", { class: "notice", children: [
      /* @__PURE__ */ a4("span", { class: "spinner", "aria-hidden": "true" }),
      "Working out the flesh up to here …"
    ] }),
    open && preparing && /* @__PURE__ */ a4("p", { class: "notice", children: [
      /* @__PURE__ */ a4("span", { class: "spinner", "aria-hidden": "true" }),
      "Preparing ",
      preparing,
      " …"
    ] })
  ] });
}
function Failed({ why: { where, given, needed, advice } }) {
  return /* @__PURE__ */ a4("p", { class: "notice lost failed", children: [
    /* @__PURE__ */ a4("strong", { children: "Nothing was opened." }),
    " ",
    where,
    ":",
    " ",
    [given, needed, advice].filter(Boolean).map(sentence).join(" "),
    " Then start the studio again."
  ] });
}

// src/main.tsx
var LONG_WAIT = 1500;
var HAND2 = 0.09;
function begin(root2) {
  const drawer = rendererName();
  if (!drawer) {
    root2.textContent = "This browser cannot draw in three dimensions (WebGL 2). Switch it on, or try another browser.";
    return;
  }
  const software = isSoftware(drawer);
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "The character; drag its skin to pull, drag beside it to turn the view");
  canvas.setAttribute("role", "img");
  const stage2 = new Stage(canvas, {
    look: look.value,
    software,
    draws: location.hash !== UNDRAWN && !endurance,
    calm,
    follows: () => following.value,
    beforePicture: updateTools,
    afterPicture: (shown3, frames) => {
      for (const one of frames) ask({ do: "drawn", ...one });
      countDrawn();
      recordPicture(stage2);
      if (!shown3) return;
      motionTime.value = shown3.motionTime;
      shownFrame.value = shown3.frame;
      looking.update();
      showAmounts(shown3.frame);
    }
  });
  const looking = new Looking(stage2);
  makeTools(stage2, look.value);
  x2(() => {
    stage2.wear(look.value);
    wearTools(look.value);
  });
  x2(() => {
    needJoints("bones", bonesShown.value);
    stage2.showBones(bonesShown.value);
  });
  x2(() => stage2.viewer.setParallel(parallel.value));
  listenToKeys(stage2);
  listenToDrops();
  connect(stage2);
  Object.assign(globalThis, { supple: { stage: stage2, session: session_exports, amounts, drawingPlane } });
  Q(/* @__PURE__ */ a4(Studio, { stage: stage2, software }), root2);
  if (location.hash === MEASURED || location.hash === UNDRAWN) void measure(stage2);
  if (endurance) void endure(endurance);
}
function connect(stage2) {
  const mesh = new MeshLoader(stage2);
  const hear = (event) => {
    if (event.event === "state") {
      takeState(event);
      mesh.want(event.mesh);
      stage2.setSkeleton(event.skeleton);
      stage2.setPanes(event.views.length);
      stage2.things.set(event.things.rows);
      stage2.keepRoom(event.shown.measure !== null || event.shown.lines === "forces");
      stage2.setRamp(event.shown.measure?.signed ? "signed" : "plain");
      if (!event.shown.lines) stage2.hideLines();
      stage2.ghosts.want(event.ghosts, event.transport.fps);
    } else if (event.event === "refused") {
      drafts.value = {};
      toolsRefused(event);
      if (state.value) showRefused(event);
      else failure.value = event;
    } else if (event.event === "curves") {
      const transport = state.value?.transport;
      if (transport) takeCurves(event, transport.motion, transport.duration);
    } else showTold(event.text);
  };
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`;
  const connection = new Connection(address, {
    opened: () => {
      beginAgain();
      link.value = { open: true };
    },
    lost: (reason, wait2) => {
      const anew = "If it was started anew, open the address that it printed.";
      link.value = { open: false, reason: reason || (wait2 > LONG_WAIT ? anew : "") };
      toolsLost();
      mesh.forget();
    },
    event: hear,
    frame: (message) => {
      const frame2 = readFrame(message);
      if (frame2?.kind === "joints") stage2.newestJoints(frame2);
      if (frame2?.kind === "things") stage2.things.show(frame2);
      if (frame2?.kind === "colours") {
        stage2.newestColours(frame2);
        takeRange(frame2);
      }
      const lines2 = state.value?.shown.lines;
      if (frame2?.kind === "lines" && lines2) {
        stage2.newestLines(frame2, lines2 === "forces");
        takeLongest(frame2);
      }
      if (frame2?.kind === "trail") stage2.ghosts.newestTrail(frame2);
      if (frame2?.kind === "amounts") newestAmounts(frame2);
      if (frame2?.kind !== "skin") return;
      if (frame2.view < FIRST_GHOST) countArrived(frame2.view, frame2.engineMicroseconds);
      stage2.newest(frame2);
    }
  });
  sendThrough((command) => connection.send(command));
}
function takeState(state2) {
  const first = state.value?.mesh.mesh !== state2.mesh.mesh;
  state.value = state2;
  failure.value = null;
  if (first) setRadius(HAND2 * (state2.mesh.size || 1.8));
  const moving = document.querySelector("input[type=range]:active")?.closest("[data-setting]")?.dataset.setting;
  const kept2 = moving === void 0 ? void 0 : drafts.value[moving];
  drafts.value = moving !== void 0 && kept2 !== void 0 ? { [moving]: kept2 } : {};
}
var MeshLoader = class {
  constructor(stage2) {
    this.stage = stage2;
  }
  stage;
  wanted = null;
  forget() {
    this.wanted = null;
  }
  async want({ mesh, size: size3 }) {
    if (mesh === this.wanted) return;
    this.wanted = mesh;
    try {
      const answer = await fetch(`/mesh/${mesh}`);
      if (!answer.ok) throw new Error(await answer.text());
      const data = readMesh(await answer.arrayBuffer());
      if (this.wanted === mesh) this.stage.setMesh(mesh, data, size3);
    } catch (error) {
      if (this.wanted === mesh) this.wanted = null;
      showTold(`The mesh did not come: ${error instanceof Error ? error.message : error}`);
    }
  }
};
var root = document.getElementById("studio");
if (root) begin(root);
