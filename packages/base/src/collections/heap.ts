/** A binary heap: the smallest item by `compare` comes first. Push and pop take logarithmic time. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#siftUp(this.#items.length - 1);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (this.#items.length > 0 && last !== undefined) {
      this.#items[0] = last;
      this.#siftDown(0);
    }
    return top;
  }

  #siftUp(from: number): void {
    const items = this.#items;
    const item = items[from] as T;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#compare(item, items[parent] as T) >= 0) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  #siftDown(from: number): void {
    const items = this.#items;
    const item = items[from] as T;
    let index = from;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1] as T, items[child] as T) < 0) child++;
      if (this.#compare(items[child] as T, item) >= 0) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = item;
  }
}
