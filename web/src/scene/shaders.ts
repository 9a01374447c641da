// Shaders of the stage. Points come packed: x, y, z as shares of a cube, and an octahedral normal as two bytes in one.
import { RAMP_COLOURS } from "./ramps";

const UNPACK = /* glsl */ `
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
}`;

export const SKIN_VERTEX = /* glsl */ `${UNPACK}
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
}`;

/** Three lights under a sky: key from the front and above, fill from the viewer's left, rim where the skin turns away. */
export const SKIN_FRAGMENT = /* glsl */ `
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
}`;

/** A body that is seen through, most where it faces the viewer. */
export const GHOST_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 normal;
in vec3 to_viewer;
uniform vec3 colour;
uniform float opacity;
out vec4 shown;
void main() {
  float grazing = 1.0 - abs(dot(normalize(normal), normalize(to_viewer)));
  shown = vec4(pow(colour, vec3(1.0 / 2.2)), opacity * (0.35 + 0.65 * grazing * grazing));
}`;

/** The body laid on the floor along the light, darker where it is near the floor; seen from above. */
export const SHADOW_VERTEX = /* glsl */ `${UNPACK}
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
}`;

export const SHADOW_FRAGMENT = /* glsl */ `
precision highp float;
in float nearness;
out vec4 colour;
void main() { colour = vec4(nearness); }`;

export const FLOOR_VERTEX = /* glsl */ `
precision highp float;
in vec3 position;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 shadow_centre;
uniform float floor_reach;
out vec2 place;
void main() {
  place = shadow_centre + floor_reach * position.xy;
  gl_Position = projectionMatrix * viewMatrix * vec4(place.x, 0.0, place.y, 1.0);
}`;

/** A grid of half metres that fades away, of other sizes under what is far larger or smaller; and the soft shadow. */
export const FLOOR_FRAGMENT = /* glsl */ `
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
}`;
