#!/usr/bin/env python3
"""Writes a language model of half a megabyte with random weights, as llama.cpp reads it.

It knows nothing: what it says are random bytes. A real server loads it, streams its replies and constrains them to a schema,
which is all that the protocol of our clients is tried on. Needs the package gguf; `make real-model` sees to it.
"""

import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 64, 2, 4, 128, 2048

# A token for each byte, so that any text can be read and any JSON be written.
TOKENS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
KINDS = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL, *[gguf.TokenType.BYTE] * 256]
TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: "


def main(path: str) -> None:
    # The same file on every machine.
    random = np.random.default_rng(7)

    def weights(*shape: int) -> np.ndarray:
        return random.normal(0.0, 0.3, shape).astype(np.float32)

    model = gguf.GGUFWriter(path, "llama")
    model.add_name("keepsake-tiny")
    model.add_context_length(CONTEXT)
    model.add_embedding_length(WIDTH)
    model.add_block_count(LAYERS)
    model.add_feed_forward_length(INNER)
    model.add_head_count(HEADS)
    model.add_head_count_kv(HEADS)
    model.add_rope_dimension_count(WIDTH // HEADS)
    model.add_layer_norm_rms_eps(1e-5)
    model.add_vocab_size(len(TOKENS))
    model.add_tokenizer_model("llama")
    model.add_token_list(TOKENS)
    model.add_token_scores([0.0] * len(TOKENS))
    model.add_token_types(KINDS)
    model.add_unk_token_id(0)
    model.add_bos_token_id(1)
    model.add_eos_token_id(2)
    model.add_chat_template(TEMPLATE)

    model.add_tensor("token_embd.weight", weights(len(TOKENS), WIDTH))
    model.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    model.add_tensor("output.weight", weights(len(TOKENS), WIDTH))
    for layer in range(LAYERS):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            model.add_tensor(f"blk.{layer}.{part}.weight", weights(WIDTH, WIDTH))
        for part in ("attn_norm", "ffn_norm"):
            model.add_tensor(f"blk.{layer}.{part}.weight", np.ones(WIDTH, np.float32))
        for part in ("ffn_gate", "ffn_up"):
            model.add_tensor(f"blk.{layer}.{part}.weight", weights(INNER, WIDTH))
        model.add_tensor(f"blk.{layer}.ffn_down.weight", weights(WIDTH, INNER))

    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tiny_gguf.py FILE")
    main(sys.argv[1])
