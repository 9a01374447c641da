// The layers under the time track, one row each; hidden while there are none.
import { state } from "../../session";
import { layersShown } from "./choice";
import { LayerRow } from "./row";

export function LayerList({ duration }: { duration: number }) {
  const layers = state.value?.edits.layers ?? [];
  if (!layersShown()) return null;
  return (
    <section class="layers" aria-label="Layers">
      {layers.map((layer, place) => (
        <LayerRow key={layer.name} layer={layer} place={place} count={layers.length} duration={duration} />
      ))}
      {layers.length === 0 && (
        <p class="quiet no-layers">No layers yet: draw a shape or a pose, and key it.</p>
      )}
    </section>
  );
}
